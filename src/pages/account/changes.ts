/** Changes that a page makes, and what it says when one fails. */
import { AccountError, type Changed, type Editor } from "../../access/change.ts"
import type { PageChange } from "../../access/page-changes.ts"
import type { SignedIn } from "../../access/sessions.ts"
import { OutcomeUnknown } from "../../db/commit.ts"
import { hidden, notice } from "../kit/components.ts"
import type { Content } from "../kit/html.ts"
import { PageError, pageNotFound } from "../kit/page-error.ts"

export type Outcome<T> =
  | { value: T; isConfirmed: boolean; refusal?: undefined }
  /** Why it was not made, in a sentence. */
  | { refusal: string }

/**
 * Makes a change in the person's name. What the rules of accounts refuse is an outcome, because the
 * page shows it beside the form.
 * @throws PageError where it is not known whether the change was made; Unavailable
 */
export async function makeChange<T>(
  changeAccount: PageChange,
  { person, address }: { person: SignedIn; address: string },
  work: (editor: Editor) => Promise<Changed<T>>,
): Promise<Outcome<T>> {
  const { accountId, email } = person
  try {
    const { value, unconfirmed } = await changeAccount({ accountId, email, address }, work)
    return { value, isConfirmed: unconfirmed === 0 }
  } catch (error) {
    if (error instanceof AccountError) return { refusal: `${error.message}.` }
    if (error instanceof OutcomeUnknown) throw outcomeUnknown()
    throw error
  }
}

const outcomeUnknown = () =>
  new PageError(
    503,
    "Not known whether it was changed",
    "The connection to the database was lost while the change was being made. Look at the list before you try again: the change may be there.",
  )

/** Where processes of the service have not confirmed the change in time. */
export const unconfirmedNotice = (isConfirmed: boolean): Content =>
  !isConfirmed &&
  notice(
    "waiting",
    "Part of the service has not confirmed the change yet. There it takes effect within 30 seconds.",
  )

/** Identifies a form, so that it makes one token however often it is sent. */
export const formIdField = (id = crypto.randomUUID() as string) => hidden("form", id)

/** @throws PageError */
export function readFormId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)) return text
  throw new PageError(
    400,
    "Not a whole form",
    "A part of the form is missing, so nothing was changed. Open the page again and send it from there.",
  )
}

/** The number that a path names a record by. @throws PageError 404 */
export function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw pageNotFound()
}

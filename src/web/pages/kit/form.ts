import { settleWithin } from "../../../system/text/settle-within.ts"
import { textWithin } from "../../../system/text/text-within.ts"
import { PageError } from "./page-error.ts"

/** By the name of the field. A missing field is empty. */
export interface Form {
  get(name: string): string
  has(name: string): boolean
}

const deadlineMs = 10_000
/** More than any form of the service has. */
const maxBytes = 16 * 1024

const formOf = (fields: URLSearchParams): Form => ({
  get: (name) => fields.get(name) ?? "",
  has: (name) => fields.has(name),
})

export const readQuery = ({ url }: Pick<Request, "url">): Form => formOf(new URL(url).searchParams)

/**
 * Reads a body of `application/x-www-form-urlencoded`, of at most 16 KB.
 * @param withinMs the time limit of the client
 * @throws PageError 413, 415, 408
 */
export async function readForm(request: Request, withinMs = deadlineMs): Promise<Form> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    throw new PageError(415, "Not a form", "This address accepts only forms of this site.")
  }
  return formOf(new URLSearchParams(await settleWithin(withinMs, readText(request), tooSlow)))
}

const readText = async ({ body }: Request): Promise<string> =>
  body
    ? textWithin(maxBytes, body, () => {
        throw new PageError(413, "Too long", "The request is longer than any form of this site.")
      })
    : ""

const tooSlow = () =>
  new PageError(
    408,
    "Sent too slowly",
    "The form did not arrive in time, so nothing was changed. Go back and send it again.",
    // The rest of the body is not read, so the connection can't be used again.
    { Connection: "close" },
  )

/** For a field value that no form of the service sends. */
export const foreignForm = () =>
  new PageError(
    400,
    "Not a form of this site",
    "A field is missing or has a value that the form does not offer, so nothing was changed. Open the page again, and send its form.",
  )

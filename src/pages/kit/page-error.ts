import { excerpt, printableLine } from "../../text/printable-text.ts"
import { type Content, html } from "./html.ts"

/** Of a key that was asked for. */
const shownLength = 80

/** A page can't be shown. The message says why and what to do, for the person who asked for it. */
export class PageError extends Error {
  override readonly name = "PageError"

  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Links or a form to go on with. */
    readonly next: Content = html`<p><a class="button" href="/">Go to the overview</a></p>`,
  ) {
    super(message)
  }
}

/** For a path that no page has. A record that does not exist has `notFound`. */
export const pageNotFound = () =>
  new PageError(
    404,
    "There is no page at this address",
    "The address may have a typing error, or the page may have moved. Go on from one of these pages:",
    {},
    html`<ul><li><a href="/">Overview</a>: the service and its data</li>
<li><a href="/explore">Explore</a>: companies, tenements, subsidiaries and announcements</li>
<li><a href="/docs">Docs</a>: the guide and the reference of the API</li>
<li><a href="/account">Account</a>: your tokens and your usage</li></ul>`,
  )

/** The number that a path names a record by. @throws PageError 404 */
export function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw pageNotFound()
}

/**
 * For a page of something that does not exist.
 * @param kind `company`
 * @param next where to look for it
 */
export const notFound = (kind: string, key: string, message: string, next: Content) =>
  new PageError(
    404,
    `There is no ${kind} ${excerpt(printableLine(key), shownLength)}`,
    message,
    {},
    next,
  )

/** The page is for people who are signed in. */
export class SignInRequired extends Error {
  override readonly name = "SignInRequired"

  /** @param next where to go afterwards; by default the page that was asked for */
  constructor(
    readonly reason?: SignInReason,
    readonly next?: string,
  ) {
    super("Sign in first")
  }
}

/** A sentence for the sign-in page, by its name there. */
export type SignInReason = "again" | "link"

/** Where a person signs in, and comes back from. */
export const signInPath = (next: string, reason?: SignInReason): string =>
  `/account/sign-in?${new URLSearchParams({ next, ...(reason && { reason }) })}`

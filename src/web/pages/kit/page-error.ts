import { excerpt, printableLine } from "../../../system/text/printable-text.ts"
import { type Content, html } from "./html.ts"

/** The requested key. */
const shownLength = 80

/** A page cannot be shown. The message gives the reason and the next step, for the visitor. */
export class PageError extends Error {
  override readonly name = "PageError"

  constructor(
    readonly status: number,
    readonly title: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
    /** Links or a form for the next step. */
    readonly next: Content = html`<p><a class="button" href="/">Go to the overview</a></p>`,
  ) {
    super(message)
  }
}

/** For a path without a page. A missing record has `notFound`. */
export const pageNotFound = () =>
  new PageError(
    404,
    "There is no page at this address",
    "The address may have a typing error, or the page may have moved. Try:",
    {},
    html`<ul><li><a href="/">Overview</a>: the service and its data</li>
<li><a href="/explore">Explore</a>: companies, tenements, subsidiaries and announcements</li>
<li><a href="/docs">Docs</a>: the guide and the reference of the API</li>
<li><a href="/account">Account</a>: your tokens and your usage</li></ul>`,
  )

/** The number of a record in a path. @throws PageError 404 */
export function readId(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  throw pageNotFound()
}

/** For a page of a missing record. @param kind `company` @param next the page with the list */
export const notFound = (kind: string, key: string, message: string, next: Content) =>
  new PageError(
    404,
    `There is no ${kind} ${excerpt(printableLine(key), shownLength)}`,
    message,
    {},
    next,
  )

export class SignInRequired extends Error {
  override readonly name = "SignInRequired"

  /** @param next the page after signing in; by default the requested page */
  constructor(
    readonly reason?: "again",
    readonly next?: string,
  ) {
    super("Sign in first")
  }
}

/**
 * The sign-in page, with the page to return to.
 * @param reason the name of a sentence on that page
 */
export const signInPath = (next: string, reason?: "again"): string =>
  `/account/sign-in?${new URLSearchParams({ next, ...(reason && { reason }) })}`

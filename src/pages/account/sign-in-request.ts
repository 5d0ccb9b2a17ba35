/** What the routes about signing in take from a request, and how they begin a session. */

import { HashingBusy } from "../../access/password-hash.ts"
import { type Client, longestMs } from "../../access/session-rows.ts"
import { LimitReached } from "../../access/sign-in-limits.ts"
import { localPath } from "../../http/local-path.ts"
import { isEmailAddress } from "../../text/email-address.ts"
import type { Form } from "../kit/form.ts"
import { instant } from "../kit/format.ts"
import { html } from "../kit/html.ts"
import { PageError } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { sessionCookie } from "../kit/session-cookie.ts"

/** Where people go once they are signed in, unless they came from somewhere. */
export const home = "/account"

/** Where to go afterwards: never out of this service, and not to sign in again. */
export function nextOf(text: string | null): string {
  const next = localPath(text ?? "", home)
  return /^\/account\/(?:sign-|link|send-link)/.test(next) ? home : next
}

/** The first value of each name counts. */
export const queryOf = ({ url }: Request): URLSearchParams => new URL(url).searchParams

export const emailOf = (form: Form): string => form.get("email").trim()

export const emailFault = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : "Enter an email address, such as you@example.com"

export const clientOf = ({ headers }: Request, address: string): Client => ({
  address,
  userAgent: headers.get("user-agent") ?? "",
})

/**
 * Whether the browser keeps a cookie that is marked Secure, as far as can be told: over HTTPS, and on
 * this machine. Browsers send `Sec-Fetch-Site` in those cases alone.
 */
export function keepsCookie({ url, headers }: Request, baseUrl: string): boolean {
  return (
    headers.has("sec-fetch-site") ||
    headers.get("x-forwarded-proto")?.split(",")[0]?.trim() === "https" ||
    baseUrl.startsWith("https:") ||
    /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(new URL(url).hostname)
  )
}

/** Goes on with a new session. */
export const goOnSignedIn = (cookie: string, next: string): Response =>
  redirect(next, sessionCookie.set(cookie, longestMs / 1000))

/** The response past a limit, whoever asked. @throws the error if it is another one */
export function pastLimit(error: unknown, now: Date) {
  if (!(error instanceof LimitReached)) throw error
  const { until } = error
  // To the next whole minute, because that is what is shown.
  const shown = new Date(Math.ceil(until.getTime() / 60_000) * 60_000).toISOString()
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  return {
    status: 429,
    headers: { "Retry-After": String(seconds) },
    until: html`${instant(shown)}`,
  }
}

/** @throws PageError where too many passwords wait to be hashed, and as the work does */
export const unlessBusy = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof HashingBusy)) throw error
    throw new PageError(
      503,
      "Try again shortly",
      "Too many people are signing in right now, so the password was not checked and nothing was changed. Go back and try again in a few seconds.",
      { "Retry-After": "5" },
    )
  })

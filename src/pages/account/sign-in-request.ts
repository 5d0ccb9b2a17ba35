/** What signing in by password and by link have in common. */
import { HashingBusy } from "../../access/password-hash.ts"
import { type Client, longestMs } from "../../access/session-rows.ts"
import { LimitReached } from "../../access/sign-in-limits.ts"
import { isEmailAddress } from "../../text/email-address.ts"
import type { Form } from "../kit/form.ts"
import { html } from "../kit/html.ts"
import { PageError } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { sessionCookie } from "../kit/session-cookie.ts"

/** Where people go once they are signed in, unless they came from somewhere. */
export const home = "/account"

/** Where to go afterwards: never out of this service, and not to sign in again. */
export function nextOf(form: Form): string {
  const next = localPath(form.get("next"), home)
  return /^\/account\/(?:sign-|link|send-link)/.test(next) ? home : next
}

export const emailOf = (form: Form): string => form.get("email").trim()

export const emailFault = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : "Enter an email address, such as you@example.com"

export const clientOf = ({ headers }: Request, address: string): Client => ({
  address,
  userAgent: headers.get("user-agent") ?? "",
})

/** Goes on with a new session. */
export const goOnSignedIn = (cookie: string, next: string): Response =>
  redirect(next, sessionCookie.set(cookie, longestMs / 1000))

/**
 * Runs what has a limit of attempts.
 * @param what `attempts to sign in`
 * @throws PageError past the limit, and where too many passwords wait to be hashed
 */
export async function limited<T>(what: string, now: Date, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LimitReached) throw tooMany(what, error.until, now)
    if (error instanceof HashingBusy) throw busy()
    throw error
  }
}

const signInLink = html`<p><a class="button" href="/account/sign-in">Sign in another way</a></p>`

function tooMany(what: string, until: Date, now: Date): PageError {
  // To the next whole minute, because that is what is shown.
  const time = new Date(Math.ceil(until.getTime() / 60_000) * 60_000).toISOString()
  const seconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  return new PageError(
    429,
    "Try again later",
    `Too many ${what}. Try again at ${time.slice(11, 16)} UTC.`,
    { "Retry-After": String(seconds) },
    signInLink,
  )
}

const busy = () =>
  new PageError(
    503,
    "Try again shortly",
    "Too many people are signing in right now, so the password was not checked and nothing was changed. Go back and try again in a few seconds.",
    { "Retry-After": "5" },
    signInLink,
  )

/** More than any address of ours. */
const longestPath = 2_000

/**
 * A path of this service with its query, from text that a client chose: `fallback` where it would lead
 * elsewhere. It is parsed as browsers do, who take `/\host`, `/<tab>/host` and `/.//host` for other hosts.
 */
export function localPath(text: string, fallback: string): string {
  const base = "http://local.invalid"
  if (!text.startsWith("/") || text.length > longestPath || !URL.canParse(text, base))
    return fallback
  const { origin, pathname, search } = new URL(text, base)
  return origin === base && !pathname.startsWith("//") ? pathname + search : fallback
}

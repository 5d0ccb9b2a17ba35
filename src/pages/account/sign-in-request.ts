/** What signing in by password and by link have in common. */
import { type Client, longestMs } from "../../access/session-rows.ts"
import { isEmailAddress } from "../../text/email-address.ts"
import type { Form } from "../kit/form.ts"
import { redirect, sessionCookie } from "../kit/page-response.ts"

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

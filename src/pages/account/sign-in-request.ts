/** Shared by the pages for signing in. */
import { isEmailAddress } from "../../text/email-address.ts"
import type { Form } from "../kit/form.ts"

/** The page after signing in, unless the person came from another. */
export const home = "/account"

/** The page after signing in: always of this service, and not the sign-in page. */
export function nextOf(form: Form): string {
  const next = localPath(form.get("next"), home)
  return /^\/account\/(?:sign-|link|send-link)/.test(next) ? home : next
}

export const emailOf = (form: Form): string => form.get("email").trim()

export const emailFault = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : "Enter an email address, such as you@example.com"

/** Longer than any URL of this service. */
const longestPath = 2_000

/**
 * A path of this service with its query, from text of a client: `fallback` if the text leads elsewhere.
 * Parsed as browsers do, which take `/\host`, `/<tab>/host` and `/.//host` for other hosts.
 */
export function localPath(text: string, fallback: string): string {
  const base = "http://local.invalid"
  if (!text.startsWith("/") || text.length > longestPath || !URL.canParse(text, base))
    return fallback
  const { origin, pathname, search } = new URL(text, base)
  return origin === base && !pathname.startsWith("//") ? pathname + search : fallback
}

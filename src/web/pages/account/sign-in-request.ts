/** Shared by the pages for signing in. */
import { isEmailAddress } from "../../../system/text/email-address.ts"
import { localPath } from "../../../system/text/local-path.ts"
import type { Form } from "../kit/form.ts"

/** The page after signing in, unless the person came from another. */
export const home = "/account"

/** The page after signing in: always of this service, and not the sign-in page. */
export function nextOf(form: Form): string {
  const next = localPath(form.get("next"), home)
  return /^\/account\/(?:sign-|link|send-link)/.test(next) ? home : next
}

/** The address of another page for signing in, which leads to the same page in the end. */
export function withNext(path: string, form: Form): string {
  const next = nextOf(form)
  return next === home ? path : `${path}?${new URLSearchParams({ next })}`
}

export const emailOf = (form: Form): string => form.get("email").trim()

export const emailFault = (email: string): string | undefined =>
  isEmailAddress(email) ? undefined : "Enter an email address, such as you@example.com"

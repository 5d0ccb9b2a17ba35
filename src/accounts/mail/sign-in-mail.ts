/** The mail with a one-time link. */
import type { Mail } from "./mailer.ts"

export interface SignInMail {
  to: string
  /** The link's whole address. */
  url: string
  madeAt: Date
  /** The remaining validity of the link. */
  validMinutes: number
  /** Whether the link creates the account. */
  isNewAccount: boolean
}

const service = "Mining and Geological Data"

export function signInMail({ to, url, madeAt, validMinutes, isNewAccount }: SignInMail): Mail {
  const [subject, purpose] = isNewAccount
    ? [`Confirm your email address for ${service}`, "Somebody, probably you, wants an account for"]
    : [`Sign in to ${service}`, "Somebody, probably you, wants to sign in as"]
  return {
    to,
    subject,
    expiresAt: new Date(madeAt.getTime() + validMinutes * 60_000),
    text: `${purpose} ${to}. To continue, open this link:

${url}

It works once, within ${validMinutes} minutes. If it was not you, ignore this mail: without the link nothing happens.
`,
  }
}

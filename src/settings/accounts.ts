/** Accounts, and the people who sign in to them. */
import type { Settings } from "./setting.ts"
import { mailbox, oneOf, smtpUrl, text } from "./values.ts"

export const accounts = {
  SIGNUP: {
    description:
      "Who makes accounts: `closed` for operators alone, `open` for anybody whose email address is confirmed by a mail; those are on the standard plan",
    fallback: "closed",
    parse: oneOf("closed", "open"),
  },
  SMTP_URL: {
    description:
      "Mail server that sends links for signing in, as `smtp://user:password@host:587` or `smtps://`; it must offer TLS unless it is on this machine; empty for none: then `mds account link` prints them",
    fallback: "",
    secret: true,
    parse: smtpUrl,
  },
  MAIL_FROM: {
    description:
      "Sender of mails, as `name@example.com` or `Name <name@example.com>`; required with `SMTP_URL`",
    fallback: "",
    parse: mailbox,
  },
  ACTOR: {
    description:
      "Who changes accounts and tokens on the command line, for the audit log; empty for the name of the operating system's user",
    fallback: "",
    parse: text,
  },
} as const satisfies Settings

/** Builds the parts of signing in: sessions, one-time links and their mails. */
import { createLinkLimits } from "../access/link-limits.ts"
import { createSessions } from "../access/sessions.ts"
import { createSignInLinks, validMinutes } from "../access/sign-in-links.ts"
import type { AppOptions } from "../app.ts"
import type { Config } from "../config.ts"
import type { Pool } from "../db/pool/pool.ts"
import { describeError, type Log } from "../log/log.ts"
import { createMailer } from "../mail/mailer.ts"
import { signInMail } from "../mail/sign-in-mail.ts"
import type { RedisConnection } from "../redis/connection.ts"
import type { createWriteReports } from "./write-reports.ts"

export interface SignInPartsOptions {
  config: Config
  pool: Pool
  redis: RedisConnection | null
  notWritten: ReturnType<typeof createWriteReports>
  log: Log
  now: () => Date
  steadyMs: () => number
}

export function createSignIn(options: SignInPartsOptions) {
  const { config, pool, notWritten, log, now } = options
  const { SMTP_URL, MAIL_FROM } = config
  const isSignUpOpen = config.SIGNUP === "open"
  const mailer =
    SMTP_URL && MAIL_FROM
      ? createMailer({
          url: SMTP_URL,
          from: MAIL_FROM,
          onFailure: (error) => log.warn("mail could not be sent", describeError(error)),
          now,
        })
      : null

  const linkMail: AppOptions["linkMail"] = mailer && {
    send: (link) =>
      link ? mailer.send(signInMail({ ...link, madeAt: now(), validMinutes })) : mailer.check(),
    isFailing: mailer.isFailing,
  }
  const parts = {
    sessions: createSessions({
      pool,
      onUseNotRecorded: notWritten("a session's last use was not recorded"),
    }),
    links: createSignInLinks({ pool, isSignUpOpen }),
    limitLinks: createLinkLimits(options),
    linkMail,
    isSignUpOpen,
  }
  return {
    parts,
    /** Sends the pending mails, for at most `limitMs`. */
    stop: async (limitMs: number): Promise<void> => mailer?.stop(limitMs),
  }
}

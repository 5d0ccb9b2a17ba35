/** Builds the parts of signing in: sessions, passwords, one-time links and their mails. */
import { createPasswordHashing, type HashingCost } from "../access/password-hash.ts"
import { createPasswords } from "../access/passwords.ts"
import { createSessions } from "../access/sessions.ts"
import { createSignInLimits } from "../access/sign-in-limits.ts"
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
  hashingCost?: HashingCost | undefined
}

export function createSignIn({
  config,
  pool,
  redis,
  notWritten,
  log,
  now,
  steadyMs,
  hashingCost,
}: SignInPartsOptions) {
  const { SMTP_URL, MAIL_FROM } = config
  const isSignUpOpen = config.SIGNUP === "open"
  const mailer =
    SMTP_URL && MAIL_FROM
      ? createMailer({
          url: SMTP_URL,
          from: MAIL_FROM,
          onFailure: (error) => log.warn("a mail was not sent", describeError(error)),
          now,
        })
      : null
  const hashing = createPasswordHashing({
    onMalformedHash: (error) => log.error("a stored password is malformed", describeError(error)),
    cost: hashingCost,
  })

  const mailLink: AppOptions["mailLink"] =
    mailer && ((link) => mailer.send(signInMail({ ...link, madeAt: now(), validMinutes })))
  const parts = {
    sessions: createSessions({
      pool,
      onUseNotRecorded: notWritten("a session's last use was not recorded"),
    }),
    passwords: createPasswords({ pool, hashing }),
    links: createSignInLinks({ pool, isSignUpOpen }),
    signInLimits: createSignInLimits({ now, steadyMs, redis }),
    mailLink,
    isSignUpOpen,
  }
  return {
    parts,
    /** Sends the pending mails, for at most `limitMs`. */
    stop: async (limitMs: number): Promise<void> => mailer?.stop(limitMs),
  }
}

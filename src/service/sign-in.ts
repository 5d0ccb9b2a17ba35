/** What people sign in with: sessions, passwords, one-time links and the mails with them. */
import { createPasswords } from "../access/passwords.ts"
import { deleteExpired } from "../access/session-rows.ts"
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
import { hourMs } from "../text/durations.ts"
import type { createWriteReports } from "./write-reports.ts"

export interface SignInPartsOptions {
  config: Config
  pool: Pool
  redis: RedisConnection | null
  notWritten: ReturnType<typeof createWriteReports>
  log: Log
  now: () => Date
  steadyMs: () => number
  /** How long after the start what has expired is deleted first: a process may not run for an hour. */
  firstDeletionMs?: number
}

type SignInParts = Pick<
  AppOptions,
  "sessions" | "passwords" | "links" | "signInLimits" | "mailLink" | "isSignUpOpen"
>

const deleteEveryMs = hourMs

export function createSignIn({
  config,
  pool,
  redis,
  notWritten,
  log,
  now,
  steadyMs,
  firstDeletionMs = 10_000,
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
  const onExpiredKept = notWritten("expired sessions were not deleted")
  const deleteNow = () => deleteExpired(pool, now()).catch(onExpiredKept)
  const firstTimer = setTimeout(deleteNow, firstDeletionMs)
  const timer = setInterval(deleteNow, deleteEveryMs)

  const parts: SignInParts = {
    sessions: createSessions({
      pool,
      onUseNotRecorded: notWritten("a session's last use was not recorded"),
    }),
    passwords: createPasswords({
      pool,
      onMalformedHash: (error) => log.error("a stored password is malformed", describeError(error)),
    }),
    links: createSignInLinks({ pool, isSignUpOpen }),
    signInLimits: createSignInLimits({ now, steadyMs, redis }),
    mailLink:
      mailer && ((link) => mailer.send(signInMail({ ...link, madeAt: now(), validMinutes }))),
    isSignUpOpen,
  }
  return {
    parts,
    /** Sends the mails that were asked for, for at most `limitMs`. */
    stop: async (limitMs: number): Promise<void> => {
      clearTimeout(firstTimer)
      clearInterval(timer)
      await mailer?.stop(limitMs)
    },
  }
}

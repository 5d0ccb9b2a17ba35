/** Builds the parts of access: credentials, windows, usage, and signing in by mailed links. */
import { createPageChanges } from "../../accounts/access/change.ts"
import { createCredentials } from "../../accounts/access/credentials.ts"
import { deleteRegularly } from "../../accounts/access/expiry.ts"
import { createRecentRequests } from "../../accounts/access/recent-requests.ts"
import { createSessions } from "../../accounts/access/sessions.ts"
import {
  createLinkLimits,
  createSignInLinks,
  validMinutes,
} from "../../accounts/access/sign-in-links.ts"
import { createUsage } from "../../accounts/access/usage.ts"
import { createWindows, standardLimit } from "../../accounts/access/windows.ts"
import { createMailer } from "../../accounts/mail/mailer.ts"
import { signInMail } from "../../accounts/mail/sign-in-mail.ts"
import type { AppOptions } from "../../app.ts"
import { createTurns } from "../../data/db/pool/turns.ts"
import { describeError } from "../log/log.ts"
import type { Base } from "./base.ts"

/** Of one account. The window of the standard plan admits no more, so only larger plans reach it. */
const requestsAtOnce = standardLimit

export function createAccess(base: Base) {
  const { config, sizes, database, notWritten, now } = base
  const { pools, sessionUrl } = database
  const pool = pools.accounts
  const isSignUpOpen = config.SIGNUP === "open"
  const mailer = openMailer(base)
  const usage = createUsage({
    pool,
    onFailure: notWritten("the use of accounts was not recorded"),
  })
  const recentRequests = createRecentRequests({
    pool,
    onFailure: notWritten("the recent requests of accounts were not recorded"),
  })
  const stopDeleting = deleteRegularly({
    pool,
    now,
    onFailure: notWritten("expired sessions and records of use were not deleted"),
  })
  const linkMail: AppOptions["linkMail"] = mailer && {
    send: (link) => {
      mailer.check()
      if (link) mailer.send(signInMail({ ...link, to: link.email, madeAt: now(), validMinutes }))
    },
    isFull: mailer.isFull,
    isFailing: mailer.isFailing,
  }
  return {
    parts: {
      credentials: createCredentials({
        pools,
        sizes,
        onUseNotRecorded: notWritten("a token's last use was not recorded"),
      }),
      windows: createWindows({ ...base, windowMs: config.RATE_WINDOW_SECONDS * 1000 }),
      requestTurns: createTurns({
        places: Number.POSITIVE_INFINITY,
        placesPerAccount: requestsAtOnce,
        queuePerAccount: () => 0,
      }),
      usage,
      recentRequests,
      accountPool: pool,
      changeAccount: createPageChanges(sessionUrl),
      sessions: createSessions({
        pool,
        onUseNotRecorded: notWritten("a session's last use was not recorded"),
      }),
      links: createSignInLinks({ pool, isSignUpOpen }),
      limitLinks: createLinkLimits(base),
      linkMail,
      isSignUpOpen,
      webhookSettings: config,
    },
    mailer,
    /** Writes pending counts and sends pending mails, for at most `limitMs`. */
    stop: async (limitMs: number): Promise<void> => {
      stopDeleting()
      await Promise.all([usage, recentRequests, mailer].map((each) => each?.stop(limitMs)))
    },
  }
}

function openMailer({ config: { SMTP_URL, MAIL_FROM }, log, now }: Base) {
  if (!SMTP_URL || !MAIL_FROM) return null
  return createMailer({
    url: SMTP_URL,
    from: MAIL_FROM,
    onFailure: (error) => log.warn("mail could not be sent", describeError(error)),
    now,
  })
}

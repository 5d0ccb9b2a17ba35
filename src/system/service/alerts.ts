/** Starts the worker of watches, with a connection and caches of its own. */

import { alertMail, disabledMail } from "../../accounts/alerts/alert-mail.ts"
import { createEvents } from "../../accounts/alerts/events.ts"
import { unsubscribeLink } from "../../accounts/alerts/unsubscribe.ts"
import { deliver, type Outcome } from "../../accounts/alerts/webhook.ts"
import { type AlertOptions, type Sending, startAlerts } from "../../accounts/alerts/worker.ts"
import { MailError, type Mailer } from "../../accounts/mail/mailer.ts"
import { cacheSizes } from "../../data/db/cache.ts"
import { isForbidden } from "../../data/db/database-errors.ts"
import { createReader } from "../../data/reader/reader.ts"
import { createReleases } from "../../data/reader/releases.ts"
import { pageOfSubject, subjectWords } from "../../web/pages/explore/lists/watched.ts"
import { describeError } from "../log/log.ts"
import type { WatchMetrics } from "../metrics/watches.ts"
import type { Base } from "./base.ts"

/** The totals of some thousand lists at a release. */
const sizes = { ...cacheSizes(0), totals: 1024 * 1024 }

export type Alerts = ReturnType<typeof startWatches>

/** @param baseUrl the address that the addresses in events begin with */
export function startWatches(
  { config, database, log, now }: Base,
  mailer: Mailer | null,
  baseUrl: string,
  { count }: Pick<WatchMetrics, "count">,
) {
  const { watches: pool } = database.pools
  const reader = createReader({ records: pool, lists: pool, exports: pool }, sizes, () => {})
  const send: AlertOptions["send"] = (sending) => {
    const { watch, secrets, eventId: id, body } = sending
    const { channel } = watch
    return channel.kind === "webhook"
      ? deliver({ url: channel.url, secrets, id, body }, { now, settings: config })
      : sendMail(sending)
  }

  async function sendMail({ watch, email: to, event, records }: Sending): Promise<Outcome> {
    const startedMs = performance.now()
    const reason = await mailed().then(
      () => null,
      (error: unknown) => (error instanceof MailError ? error.message : "The mail was not made"),
    )
    const ms = Math.round(performance.now() - startedMs)
    return { ok: reason === null, status: null, reason, ms, retryAfterMs: null, isGone: false }

    async function mailed(): Promise<void> {
      if (!mailer) throw new MailError("The service sends no mails: its setting SMTP_URL is empty")
      const words = subjectWords(watch.subject)
      const unsubscribeUrl = baseUrl + (await unsubscribeLink(pool, watch.id))
      const shown = { to, watch, words, event, records: await records(), unsubscribeUrl, baseUrl }
      await mailer.deliver(alertMail(shown))
    }
  }

  return startAlerts({
    pool,
    releases: createReleases(pool),
    events: createEvents({ reader, baseUrl, pageOf: pageOfSubject }),
    send: async (sending) => {
      const outcome = await send(sending)
      count(sending.watch.channel.kind, outcome.ok)
      return outcome
    },
    onDisabled: ({ watch, email }, reason) => {
      const { id, accountId, channel } = watch
      log.warn("watch disabled", { watch: id, account: accountId, reason })
      if (channel.kind === "webhook") mailer?.send(disabledMail(email, watch, reason, baseUrl))
    },
    onFailure: (error) => {
      // The log has a line already that says that the database lets this process only read.
      if (!isForbidden(error)) log.warn("watches were not looked at", describeError(error))
    },
    now,
  })
}

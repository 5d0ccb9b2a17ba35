/** Starts the worker of watches, with a connection and caches of its own. */

import { alertMail, disabledMail } from "../../accounts/alerts/alert-mail.ts"
import { createEvents } from "../../accounts/alerts/events.ts"
import { unsubscribeLink } from "../../accounts/alerts/unsubscribe.ts"
import { deliver, type Outcome } from "../../accounts/alerts/webhook.ts"
import { type Sending, startAlerts } from "../../accounts/alerts/worker.ts"
import { MailError, type Mailer } from "../../accounts/mail/mailer.ts"
import { withAreas } from "../../api/responses/around-tenements.ts"
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
  const reader = withAreas(
    createReader({ records: pool, lists: pool, exports: pool }, sizes, () => {}),
  )
  const events = createEvents({ reader, baseUrl, pageOf: pageOfSubject })

  async function mail({ email: to, event, covered, since, ...watch }: Sending): Promise<void> {
    if (!mailer) throw new MailError("The service sends no mails: its setting SMTP_URL is empty")
    const words = subjectWords(watch.subject)
    const unsubscribeUrl = baseUrl + (await unsubscribeLink(pool, watch.id))
    const records = await events.records(event, covered, since)
    await mailer.deliver(alertMail({ to, watch, words, event, records, unsubscribeUrl, baseUrl }))
  }

  /** Logs the cause, which is for the operator. @returns the reason for the owner */
  function notMailed(error: unknown): string {
    log.warn("mail could not be sent", describeError(error))
    return error instanceof MailError ? error.message : "The mail was not made"
  }

  async function send(sending: Sending): Promise<Outcome> {
    const { channel, secrets, eventId: id, body } = sending
    const outcome =
      channel.kind === "webhook"
        ? await deliver({ url: channel.url, secrets, id, body }, { now, settings: config })
        : {
            status: null,
            reason: await mail(sending).then(() => null, notMailed),
            retryAfterMs: null,
          }
    count(channel.kind, outcome.reason === null)
    return outcome
  }

  return startAlerts({
    pool,
    releases: createReleases(pool),
    events,
    send,
    onDisabled: ({ email, ...watch }, reason) => {
      log.warn("watch disabled", { watch: watch.id, account: watch.accountId, reason })
      if (watch.channel.kind === "webhook")
        mailer?.send(disabledMail(email, watch, reason, baseUrl))
    },
    onFailure: (error) => {
      // The log has a line already that says that the database lets this process only read.
      if (!isForbidden(error)) log.warn("watches were not looked at", describeError(error))
    },
    now,
  })
}

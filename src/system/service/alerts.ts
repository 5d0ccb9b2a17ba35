/** Starts the worker of watches, with a connection and caches of its own. */
import { createEvents } from "../../accounts/alerts/events.ts"
import { deliver } from "../../accounts/alerts/webhook.ts"
import { type AlertOptions, startAlerts } from "../../accounts/alerts/worker.ts"
import { cacheSizes } from "../../data/db/cache.ts"
import { createReader } from "../../data/reader/reader.ts"
import { createReleases } from "../../data/reader/releases.ts"
import { pageOfSubject } from "../../web/pages/explore/lists/watched.ts"
import { describeError } from "../log/log.ts"
import type { Base } from "./base.ts"

/** The totals of some thousand lists at a release. */
const sizes = { ...cacheSizes(0), totals: 1024 * 1024 }

export type Alerts = ReturnType<typeof startWatches>

/** @param baseUrl the address that the addresses in events begin with */
export function startWatches({ config, database, log, now }: Base, baseUrl: string) {
  const { watches: pool } = database.pools
  const reader = createReader({ records: pool, lists: pool, exports: pool }, sizes, () => {})
  const send: AlertOptions["send"] = ({ watch: { channel }, secrets, eventId: id, body }) => {
    if (channel.kind !== "webhook") throw new Error("Mails are not sent yet")
    return deliver({ url: channel.url, secrets, id, body }, { now, settings: config })
  }
  return startAlerts({
    pool,
    releases: createReleases(pool),
    events: createEvents({ reader, baseUrl, pageOf: pageOfSubject }),
    send,
    onDisabled: ({ watch: { id, accountId } }, reason) =>
      log.warn("watch disabled", { watch: id, account: accountId, reason }),
    onFailure: (error) => log.warn("watches were not looked at", describeError(error)),
    now,
  })
}

import type { Credentials } from "../../accounts/access/credentials.ts"
import type { ExportSlots } from "../../api/responses/export-slots.ts"
import { subscribeToChanges } from "../../data/db/notifications.ts"
import type { CachedReleases } from "../../data/reader/newest-release.ts"
import { describeError, type Log } from "../log/log.ts"

export interface Followers {
  credentials: Pick<Credentials, "setSubscribed" | "invalidate">
  releases: Pick<CachedReleases, "setSubscribed" | "invalidate">
  exportSlots: Pick<ExportSlots, "checkCallers">
  /** Looks for due watches. */
  wakeAlerts: () => void
}

/**
 * Invalidates cached tokens and releases as soon as they change, and ends the exports of invalid callers.
 * @param url the database's own address, without a pooler
 */
export function followChanges(
  { credentials, releases, exportSlots, wakeAlerts }: Followers,
  { url, log }: { url: string; log: Log },
) {
  let wasLost = false
  const set = (subscribed: boolean): void => {
    credentials.setSubscribed(subscribed)
    releases.setSubscribed(subscribed)
  }
  return subscribeToChanges(url, {
    onListening: () => {
      set(true)
      exportSlots.checkCallers(undefined)
      wakeAlerts()
      if (wasLost) log.info("notifications of changes arrive again")
    },
    onAccessChange: (account) => {
      credentials.invalidate(account)
      exportSlots.checkCallers(account)
      wakeAlerts()
    },
    onRelease: () => {
      releases.invalidate()
      wakeAlerts()
    },
    onLost: (error) => {
      set(false)
      wasLost = true
      log.warn(
        "notifications of changes do not arrive: each request looks up its token and the newest release",
        describeError(error),
      )
    },
  })
}

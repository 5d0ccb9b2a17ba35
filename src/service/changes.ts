import type { Credentials } from "../access/credentials.ts"
import { subscribeToChanges } from "../db/notifications.ts"
import type { CachedReleases } from "../db/reader/newest-release.ts"
import { describeError, type Log } from "../log/log.ts"

export interface Caches {
  credentials: Pick<Credentials, "setSubscribed" | "invalidate">
  releases: Pick<CachedReleases, "setSubscribed" | "invalidate">
}

/**
 * Invalidates cached tokens and releases as soon as they change.
 * @param url the database's own address, without a pooler
 */
export function followChanges(
  { credentials, releases }: Caches,
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
      if (wasLost) log.info("notifications of changes arrive again")
    },
    onChange: credentials.invalidate,
    onRelease: releases.invalidate,
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

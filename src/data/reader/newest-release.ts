/**
 * Caches the newest release, so that a request for it costs no query.
 *
 * PostgreSQL notifies every process when the releases change, which invalidates the cached one. A process
 * without a subscription queries the database for each request. A restore without triggers sends no
 * notification, so while requests arrive, the cache refreshes once a second without delaying any. If that
 * fails, the cached release expires after `maxStalenessMs`.
 */
import { isRecent } from "../db/is-recent.ts"
import { maxStalenessMs } from "../db/notifications.ts"
import type { AccountId } from "../db/pool/turns.ts"
import type { Release, ReleasePoint, Releases } from "./releases.ts"

const refreshMs = 1_000

export type CachedReleases = ReturnType<typeof cacheNewestRelease>

export function cacheNewestRelease(releases: Releases, now: () => Date) {
  let subscribed = false
  let cached: { release: Release; readMs: number } | undefined
  /** The read in progress, unless it began before the last invalidation. */
  let pending: Promise<Release> | undefined
  /** When the last read began. */
  let readMs = Number.NEGATIVE_INFINITY

  function invalidate(): void {
    cached = undefined
    pending = undefined
  }

  /** The cached release, if it may be used at this time. */
  const usable = (nowMs: number): Release | undefined =>
    subscribed && cached && isRecent(cached.readMs, nowMs, maxStalenessMs)
      ? cached.release
      : undefined

  /** Concurrent requests share a read, which the service runs for itself: it delays no account. */
  function read(nowMs: number): Promise<Release> {
    if (pending) return pending
    readMs = nowMs
    const result = releases
      .current()
      .then((release) => {
        // Otherwise it may be out of date: earlier callers get it, and it is not cached.
        if (pending === result) cached = { release, readMs: nowMs }
        return release
      })
      .finally(() => {
        if (pending === result) pending = undefined
      })
    pending = result
    return result
  }

  /** The same, refreshed once a second. A failure reaches a caller only once the cached release has expired. */
  function refreshed(nowMs: number): Release | undefined {
    const release = usable(nowMs)
    if (release && !isRecent(readMs, nowMs, refreshMs)) read(nowMs).catch(() => {})
    return release
  }

  return {
    ...releases,

    current: async (account?: AccountId): Promise<Release> => {
      if (!subscribed) return releases.current(account)
      const nowMs = now().getTime()
      return refreshed(nowMs) ?? read(nowMs)
    },

    /** The newest release if it is cached. */
    cached: () => usable(now().getTime()),

    // Links between pages name the release by its number: most often it is the newest.
    at: async (point: ReleasePoint, account?: AccountId) => {
      const newest = refreshed(now().getTime())
      return newest && point.kind === "release" && point.id === newest.id
        ? newest
        : releases.at(point, account)
    },

    /** Whether this process is subscribed to notifications of changes from now on. */
    setSubscribed: (isSubscribed: boolean) => {
      subscribed = isSubscribed
      invalidate()
    },

    invalidate,
  }
}

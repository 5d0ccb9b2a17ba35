/**
 * Keeps the newest release in memory, so that a request for it costs no query.
 *
 * PostgreSQL notifies every process when the releases change, which invalidates the cached one. While a
 * process is not subscribed to these notifications, every request asks the database. A change without
 * a notification, as by restoring a database without its triggers, is noticed too: while requests
 * come, the release is read again once a second, without any of them waiting. Where that fails it is
 * cached for at most `maxStalenessMs`. Where a statement sees that another one is the newest, because
 * its notification is still on its way or a database was restored without any, the cached one is
 * invalidated at once.
 */
import { isRecent } from "../is-recent.ts"
import { maxStalenessMs } from "../notifications.ts"
import type { AccountId } from "../pool/turns.ts"
import type { Release, Releases } from "./releases.ts"

const refreshMs = 1_000

export type CachedReleases = ReturnType<typeof cacheNewestRelease>

export function cacheNewestRelease(releases: Releases, now: () => Date) {
  let subscribed = false
  let cached: { release: Release; readMs: number } | undefined
  /** The read that is under way, unless it began before the last invalidation. */
  let pending: Promise<Release> | undefined
  /** When the last read began; and the newest release that a statement has seen since then. */
  let readMs = Number.NEGATIVE_INFINITY
  let seen: number | null | undefined

  /** What is read from now on is newer. */
  function invalidate(): void {
    cached = undefined
    pending = undefined
  }

  /**
   * Invalidates the cached release where a statement saw a newer one. An older one may be of a replica.
   * @param newest the number of the newest release; null if the requested release is not there
   */
  function recordSeen(newest: number | null): void {
    if (newest === null || seen === undefined || (seen !== null && newest > seen)) seen = newest
    if (cached && (newest === null || newest > cached.release.id)) invalidate()
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
    seen = undefined
    const result = releases
      .current()
      .then((release) => {
        // Otherwise it may be out of date: it is a result for those who asked before, and not cached.
        const isNewest = seen === undefined || (seen !== null && seen <= release.id)
        if (pending === result && isNewest) cached = { release, readMs: nowMs }
        return release
      })
      .finally(() => {
        if (pending === result) pending = undefined
      })
    pending = result
    return result
  }

  return {
    current: async (account?: AccountId) => {
      if (!subscribed) return releases.current(account)
      const nowMs = now().getTime()
      const release = usable(nowMs)
      if (!release) return read(nowMs)
      // Whoever asks once the cached one is too old gets the error of a read that fails.
      if (!isRecent(readMs, nowMs, refreshMs)) read(nowMs).catch(() => {})
      return release
    },

    /** The newest release, where `current` gives it without asking. */
    cached: () => usable(now().getTime()),

    oldest: releases.oldest,

    at: releases.at,

    /** Whether this process is subscribed to notifications of changes from now on. */
    setSubscribed: (isSubscribed: boolean) => {
      subscribed = isSubscribed
      invalidate()
    },

    invalidate,

    recordSeen,
  }
}

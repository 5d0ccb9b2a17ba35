/**
 * The exact sliding window (sliding window log), in memory.
 *
 * Each key has a log of the timestamps of its admitted requests. A request at t counts until
 * t + windowMs, exclusive. A request is admitted if fewer than `limit` count, and only then is it
 * logged: a denied request does not count. A log consists of runs, a timestamp and the number of
 * requests with it, in ascending order. So expired runs are always at its front, each run is written
 * once and removed once, and a call costs amortised O(1).
 *
 * Timestamps are whole milliseconds, and coarser for limits so high that a log would grow large (see
 * `timestamp-resolution.ts`). A request may then count a little longer than its window, never shorter,
 * and no log takes more than 160 KB (twice that while it contains runs of both resolutions).
 *
 * Keys are in a linked list, the least recently used first. Each call checks the first two and removes
 * those whose logs have expired, so that memory follows the traffic without a timer: a call adds at
 * most one key and removes up to two.
 *
 * When keys and logs together exceed `maxBytes`, the least recently used keys are evicted, and start
 * again with their whole limit. To profit from that, a client must pause while others fill the budget,
 * since calls keep a key recently used even when they are denied. For addresses, this takes control of
 * so many that the limit of a single one means nothing (a new address takes a few hundred bytes, a
 * further request of a known one 16). Accounts, whose keys clients can't choose, belong in a store of
 * their own, which a flood of addresses does not reach.
 */

import { SlidingLog } from "./sliding-log.ts"
import { SteadyClock } from "./steady-clock.ts"
import { resolutionMs } from "./timestamp-resolution.ts"

export type WindowState = Readonly<{
  /** Whether this request was admitted; of `peek`, whether the next one would be. */
  admitted: boolean
  limit: number
  /** How many more would be admitted now, after this request. */
  remaining: number
  /**
   * When the oldest request that counts expires; without any, now plus one window. After the limit was
   * lowered below the number of logged requests, only the newest `limit` are considered, so that a
   * denied caller that waits until then is admitted.
   */
  resetAtMs: number
}>

export type WindowStore = Readonly<{
  /**
   * Admits or denies one request of `key` at `nowMs` (finite; milliseconds since 1970). `limit` is an
   * integer and may differ from call to call. `Number.POSITIVE_INFINITY` always admits and logs
   * nothing, so that a key which later gets a limit begins with an empty log.
   *
   * The key is stored as given. A slice of a longer string would keep all of that string in memory.
   */
  admit(key: string, limit: number, nowMs: number): WindowState
  /** The state without a request: counts nothing and adds no key. */
  peek(key: string, limit: number, nowMs: number): WindowState
  /** The number of keys. */
  readonly size: number
  /** An estimate of the memory that the keys and their logs take. */
  readonly bytes: number
  /**
   * How many keys were evicted for lack of memory while requests in their logs still counted: that
   * often a caller could have been admitted beyond its limit.
   */
  readonly evicted: number
}>

export type WindowStoreOptions = Readonly<{
  windowMs: number
  /**
   * How much memory the keys and their logs may take, by estimate. Garbage that a flood of new keys
   * produces comes on top until it is collected. The most recently used key is kept even where it
   * alone takes more.
   */
  maxBytes: number
}>

const checkedPerCall = 2

export function createWindowStore({ windowMs, maxBytes }: WindowStoreOptions): WindowStore {
  const clock = new SteadyClock(windowMs)
  const logs = new Map<string, SlidingLog>()
  // The linked list is circular; this sentinel is between its last and its first log.
  const sentinel = new SlidingLog("")
  let bytes = 0
  let evicted = 0

  function admit(key: string, limit: number, nowMs: number): WindowState {
    if (limit === Number.POSITIVE_INFINITY) return unlimited(nowMs)
    const steadyMs = clock.read(nowMs)
    sweep(steadyMs)
    const log = logs.get(key) ?? addLog(key)
    bytes -= log.bytes
    log.expire(steadyMs, windowMs)
    const admitted = log.count < limit
    if (admitted) log.append(timestampOf(steadyMs, limit), limit)
    bytes += log.bytes
    if (log.count === 0) remove(log)
    else log.moveBefore(sentinel)
    evict(log, steadyMs)
    return describe(log, admitted, limit, steadyMs)
  }

  function peek(key: string, limit: number, nowMs: number): WindowState {
    if (limit === Number.POSITIVE_INFINITY) return unlimited(nowMs)
    const steadyMs = clock.read(nowMs)
    sweep(steadyMs)
    const log = logs.get(key)
    if (log !== undefined) {
      bytes -= log.bytes
      log.expire(steadyMs, windowMs)
      bytes += log.bytes
    }
    return describe(log, (log?.count ?? 0) < limit, limit, steadyMs)
  }

  function unlimited(nowMs: number): WindowState {
    return {
      admitted: true,
      limit: Number.POSITIVE_INFINITY,
      remaining: Number.POSITIVE_INFINITY,
      resetAtMs: nowMs + windowMs,
    }
  }

  function sweep(steadyMs: number): void {
    for (let checked = 0; checked < checkedPerCall; checked++) {
      const leastRecent = sentinel.next
      if (leastRecent === sentinel || !leastRecent.isExpired(steadyMs, windowMs)) return
      remove(leastRecent)
    }
  }

  /** The timestamp of a request: the end of its interval. */
  function timestampOf(steadyMs: number, limit: number): number {
    const resolution = resolutionMs(limit, windowMs)
    return Math.ceil(steadyMs / resolution) * resolution
  }

  function addLog(key: string): SlidingLog {
    const log = new SlidingLog(key)
    logs.set(key, log)
    bytes += log.bytes
    return log
  }

  function remove(log: SlidingLog): void {
    logs.delete(log.key)
    log.unlink()
    bytes -= log.bytes
  }

  /** Evicts the least recently used keys, but never `current`. */
  function evict(current: SlidingLog, steadyMs: number): void {
    while (bytes > maxBytes && sentinel.next !== sentinel && sentinel.next !== current) {
      const leastRecent = sentinel.next
      if (!leastRecent.isExpired(steadyMs, windowMs)) evicted++
      remove(leastRecent)
    }
  }

  function describe(
    log: SlidingLog | undefined,
    admitted: boolean,
    limit: number,
    steadyMs: number,
  ): WindowState {
    const count = log?.count ?? 0
    const firstMs =
      log === undefined || count === 0 || limit < 1 ? steadyMs : log.oldestOfNewest(limit)
    return {
      admitted,
      limit,
      remaining: Math.max(0, limit - count),
      resetAtMs: clock.toWallMs(firstMs + windowMs),
    }
  }

  return {
    admit,
    peek,
    get size() {
      return logs.size
    },
    get bytes() {
      return bytes
    },
    get evicted() {
      return evicted
    },
  }
}

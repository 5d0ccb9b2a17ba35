/**
 * The exact sliding window, in memory.
 *
 * Each key has a log of the times at which it was admitted. A request at t counts until t + windowMs
 * and no longer at that very instant. A request is admitted if fewer than `limit` count, and only
 * then is it logged: a denied one costs the caller nothing. A log holds runs, a time and how many
 * requests came at it, in ascending order, so what has left is always at its front, each run is
 * written once and dropped once, and a call costs amortised O(1).
 *
 * Times are whole milliseconds, and coarser for limits so high that a log would grow large: t is
 * then the end of the granule in which the request came (see `granule.ts`). A request may so count
 * a little longer than its window, never shorter, and no log takes more than 160 KB (twice that
 * while a window saw a limit on either side of where granules begin).
 *
 * Keys stand in a list, the one longest without a call first. Each call looks at the first two and
 * drops those in whose logs nothing counts any more, so that memory follows the traffic without a
 * timer: a call adds at most one key and removes up to two.
 *
 * When the keys and logs together take more than `maxBytes`, the keys longest without a call are
 * forgotten, and start again with their whole limit. To profit from that, a caller must fall silent
 * while others fill the budget. For addresses, that takes control of so many that the limit of a
 * single one means nothing (a new address takes a few hundred bytes, a further request of an old one
 * 16), and calling on while denied keeps a caller's place. Accounts, whose keys no stranger can
 * choose, belong in a store of their own, which no flood of addresses then reaches.
 */

import { SlidingLog } from "./sliding-log.ts"
import { SteadyClock } from "./steady-clock.ts"
import { resolutionMs } from "./timestamp-resolution.ts"

export type WindowState = Readonly<{
  /** Whether this request was admitted; of `peek`, whether the next one would be. */
  admitted: boolean
  limit: number
  /** How many more would be admitted now, this request already counted. */
  remaining: number
  /**
   * When the oldest request that counts leaves the window; with none, now plus one window. After a
   * limit was lowered below what is logged, only the newest `limit` requests count for this, so
   * that a denied caller that waits until then is admitted.
   */
  resetAtMs: number
}>

export type WindowStore = Readonly<{
  /**
   * Asks for one request of `key` at `nowMs` (finite; milliseconds since 1970). `limit` is a whole
   * number and may differ from call to call. `Number.POSITIVE_INFINITY` always admits and logs
   * nothing, so that a key which later gets a limit begins with an empty log.
   *
   * The key is kept as it is. A piece cut out of a longer string would keep all of that in memory.
   */
  admit(key: string, limit: number, nowMs: number): WindowState
  /** The same state without a request: counts nothing and adds no key. */
  peek(key: string, limit: number, nowMs: number): WindowState
  /** How many keys are held. */
  readonly size: number
  /** About how much memory they and their logs take, as long as they are held. */
  readonly bytes: number
  /**
   * How many keys were forgotten, for want of room, while something in their logs still counted: so
   * often could a caller have been admitted beyond its limit.
   */
  readonly evicted: number
}>

export type WindowStoreOptions = Readonly<{
  windowMs: number
  /**
   * How much memory the keys and their logs may take. It is an estimate, of what is held: garbage
   * that a flood of new keys makes comes on top until it is collected. The key last called is held
   * even where it alone takes more.
   */
  maxBytes: number
}>

const SWEPT_PER_CALL = 2

export function createWindowStore({ windowMs, maxBytes }: WindowStoreOptions): WindowStore {
  const clock = new SteadyClock(windowMs)
  const logs = new Map<string, SlidingLog>()
  // The list is a circle; this log has no key and stands between its last and its first.
  const ends = new SlidingLog("")
  let bytes = 0
  let evicted = 0

  function admit(key: string, limit: number, nowMs: number): WindowState {
    if (limit === Number.POSITIVE_INFINITY) return unlimited(nowMs)
    const steadyMs = clock.read(nowMs)
    sweep(steadyMs)
    const log = logs.get(key) ?? remember(key)
    bytes -= log.bytes
    log.expire(steadyMs, windowMs)
    const admitted = log.count < limit
    if (admitted) log.append(logged(steadyMs, limit), limit)
    bytes += log.bytes
    if (log.count === 0) drop(log)
    else log.moveBefore(ends)
    makeRoom(log, steadyMs)
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
    for (let swept = 0; swept < SWEPT_PER_CALL; swept++) {
      const idlest = ends.next
      if (idlest === ends || !idlest.isSpent(steadyMs, windowMs)) return
      drop(idlest)
    }
  }

  /** The time at which a request is logged: the end of its granule. */
  function logged(steadyMs: number, limit: number): number {
    const granule = resolutionMs(limit, windowMs)
    return Math.ceil(steadyMs / granule) * granule
  }

  function remember(key: string): SlidingLog {
    const log = new SlidingLog(key)
    logs.set(key, log)
    bytes += log.bytes
    return log
  }

  function drop(log: SlidingLog): void {
    logs.delete(log.key)
    log.leave()
    bytes -= log.bytes
  }

  /** Forgets the keys longest without a call, but never `current`. */
  function makeRoom(current: SlidingLog, steadyMs: number): void {
    while (bytes > maxBytes && ends.next !== ends && ends.next !== current) {
      const idlest = ends.next
      if (!idlest.isSpent(steadyMs, windowMs)) evicted++
      drop(idlest)
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

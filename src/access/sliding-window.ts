/**
 * The exact sliding window, in memory.
 *
 * Each key has a log of the times at which it was admitted. A request at t counts until t + windowMs
 * and no longer at that very instant. A request is admitted if fewer than `limit` count, and only
 * then is it logged: a denied one costs the caller nothing. A log is a ring of times in ascending
 * order, so what has left is always at its front, each time is written once and dropped once, and a
 * call costs amortised O(1).
 *
 * Keys stand in a list, the one longest without a call first. Each call looks at the first two and
 * drops those in whose logs nothing counts any more, so that memory follows the traffic without a
 * timer: a call adds at most one key and removes up to two.
 *
 * When the store is full, the key longest without a call is forgotten, and starts again with its
 * whole limit. To profit from that, a caller must fall silent while `maxKeys` other keys are seen.
 * For addresses, that takes control of so many that the limit of a single one means nothing, and
 * calling on while denied keeps a caller's place. Accounts, whose keys no stranger can choose,
 * belong in a store of their own, which no flood of addresses then reaches.
 */

import { SlidingLog } from "./sliding-log.ts"
import { SteadyClock } from "./steady-clock.ts"

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
   */
  admit(key: string, limit: number, nowMs: number): WindowState
  /** The same state without a request: counts nothing and adds no key. */
  peek(key: string, limit: number, nowMs: number): WindowState
  /** How many keys are held. */
  readonly size: number
}>

export type WindowStoreOptions = Readonly<{
  windowMs: number
  /** How many keys are held at most. */
  maxKeys?: number
}>

const DEFAULT_MAX_KEYS = 200_000
const SWEPT_PER_CALL = 2

export function createWindowStore(options: WindowStoreOptions): WindowStore {
  const { windowMs, maxKeys = DEFAULT_MAX_KEYS } = options
  const clock = new SteadyClock(windowMs)
  const logs = new Map<string, SlidingLog>()
  // The list is a circle; this log has no key and stands between its last and its first.
  const ends = new SlidingLog("")

  function admit(key: string, limit: number, nowMs: number): WindowState {
    if (limit === Number.POSITIVE_INFINITY) return unlimited(nowMs)
    const steadyMs = clock.read(nowMs)
    sweep(steadyMs)
    const log = logs.get(key) ?? remember(key)
    log.expire(steadyMs, windowMs)
    const admitted = log.count < limit
    if (admitted) log.append(steadyMs, limit)
    if (log.count === 0) forget(log)
    else log.moveBefore(ends)
    return describe(log, admitted, limit, steadyMs)
  }

  function peek(key: string, limit: number, nowMs: number): WindowState {
    if (limit === Number.POSITIVE_INFINITY) return unlimited(nowMs)
    const steadyMs = clock.read(nowMs)
    sweep(steadyMs)
    const log = logs.get(key)
    log?.expire(steadyMs, windowMs)
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
      forget(idlest)
    }
  }

  function remember(key: string): SlidingLog {
    if (logs.size >= maxKeys && ends.next !== ends) forget(ends.next)
    const log = new SlidingLog(key)
    logs.set(key, log)
    return log
  }

  function forget(log: SlidingLog): void {
    logs.delete(log.key)
    log.leave()
  }

  function describe(
    log: SlidingLog | undefined,
    admitted: boolean,
    limit: number,
    steadyMs: number,
  ): WindowState {
    const count = log?.count ?? 0
    const firstMs =
      log === undefined || count === 0 || limit < 1 ? steadyMs : log.at(Math.max(0, count - limit))
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
  }
}

/**
 * The exact sliding window, in memory: a log of the times of each key's admitted requests.
 *
 * A request at t counts until t + windowMs, exclusive. It is admitted if fewer than `limit` count, and
 * only then is it logged: a denied request does not count.
 *
 * When all logs together exceed `maxBytes`, the least recently used are evicted, and their keys start
 * again with the whole limit. To profit from that, a client must pause while others fill the budget.
 * For addresses this takes control of very many. Accounts, whose keys clients can't choose, are in a
 * store of their own, which a flood of addresses does not reach.
 */
import { LRUCache } from "lru-cache"

export type WindowDecision = Readonly<{
  /** Whether this request was admitted; of `peek`, whether the next one would be. */
  admitted: boolean
  /** The number of requests that count now, after this one. */
  used: number
  /**
   * The time until the oldest request that counts leaves the window; without any, one window. After the
   * limit was lowered below `used`, the time until the next request is admitted.
   */
  waitMs: number
}>

export type WindowStore = ReturnType<typeof createWindowStore>

/** The times of a key's admitted requests, oldest first. Those before the index `first` have expired. */
interface Log {
  times: number[]
  first: number
}

/** The approximate memory of a key with its log and its cache entry, without the times. */
const entryBytes = 400
/** An array that grows has room for half as many again. */
const timeBytes = 12

const countOf = ({ times, first }: Log): number => times.length - first

/**
 * In each call `limit` is an integer above 0, which may differ from call to call, and `nowMs` is of a monotonic clock.
 * @param maxBytes for all keys and their logs, by estimate; it must have room for the largest log
 */
export function createWindowStore(windowMs: number, maxBytes: number) {
  let latestMs = 0
  let evicted = 0
  const hasExpired = (timeMs: number | undefined): boolean =>
    timeMs !== undefined && timeMs + windowMs <= latestMs
  const logs = new LRUCache<string, Log>({
    maxSize: maxBytes,
    sizeCalculation: ({ times }) => entryBytes + times.length * timeBytes,
    dispose: ({ times }, _key, reason) => {
      if (reason === "evict" && !hasExpired(times.at(-1))) evicted++
    },
  })

  /** The log of a key, of whose array at most half has expired. */
  function current(key: string, nowMs: number): Log {
    latestMs = nowMs
    const log = logs.get(key) ?? { times: [], first: 0 }
    while (hasExpired(log.times[log.first])) log.first++
    // Not at once: each time is moved once on average.
    if (log.first > log.times.length / 2) {
      log.times = log.times.slice(log.first)
      log.first = 0
    }
    if (log.times.length === 0) logs.delete(key)
    return log
  }

  function decision(log: Log, admitted: boolean, limit: number, nowMs: number) {
    const used = countOf(log)
    const firstMs = log.times[log.first + Math.max(0, used - limit)] ?? nowMs
    return { admitted, used, waitMs: firstMs + windowMs - nowMs }
  }

  return {
    /** Admits or denies one request of `key`. Pass no slice of a longer string, which would stay in memory. */
    admit: (key: string, limit: number, nowMs: number): WindowDecision => {
      const log = current(key, nowMs)
      const admitted = countOf(log) < limit
      if (admitted) {
        log.times.push(nowMs)
        // The cache computes a size only for a new object.
        logs.set(key, { ...log })
      }
      return decision(log, admitted, limit, nowMs)
    },

    /** Removes the newest request of `key`. */
    withdraw: (key: string): void => {
      const log = logs.get(key)
      log?.times.pop()
      if (log?.times.length === 0) logs.delete(key)
    },

    /** The state without a request: counts nothing and adds no key. */
    peek: (key: string, limit: number, nowMs: number): WindowDecision => {
      const log = current(key, nowMs)
      return decision(log, countOf(log) < limit, limit, nowMs)
    },

    /** The number of keys. */
    get size() {
      return logs.size
    },
    /** An estimate of the memory that the keys and their logs take. */
    get bytes() {
      return logs.calculatedSize
    },
    /** The number of keys that were evicted while their requests still counted, and so could exceed their limit. */
    get evicted() {
      return evicted
    },
  }
}

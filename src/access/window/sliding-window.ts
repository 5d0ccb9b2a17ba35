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

/** `limit` is an integer above 0, which may differ from call to call. `nowMs` is of a monotonic clock. */
export type WindowStore = Readonly<{
  /** Admits or denies one request of `key`. Pass no slice of a longer string, which would stay in memory. */
  admit(key: string, limit: number, nowMs: number): WindowDecision
  /** Removes the newest request of `key`. */
  withdraw(key: string): void
  /** The state without a request: counts nothing and adds no key. */
  peek(key: string, limit: number, nowMs: number): WindowDecision
  /** The number of keys. */
  readonly size: number
  /** An estimate of the memory that the keys and their logs take. */
  readonly bytes: number
  /**
   * The number of keys that were evicted for lack of memory while their requests still counted, and so could
   * exceed their limit.
   */
  readonly evicted: number
}>

/** The approximate memory of a key with its ring and its cache entry, without the times. */
const entryBytes = 400
const timeBytes = 8
const smallestCapacity = 4

/** The first capacity of a ring, which doubles up to the limit. */
const grown = (capacity: number, limit: number): number =>
  Math.max(capacity + 1, smallestCapacity, Math.min(2 * capacity, limit))

/** @param maxBytes for all keys and their logs, by estimate; it must have room for the largest log */
export function createWindowStore(windowMs: number, maxBytes: number): WindowStore {
  let latestMs = 0
  let evicted = 0
  const isExpired = (log: TimeRing): boolean => log.at(log.count - 1) + windowMs <= latestMs
  const logs = new LRUCache<string, TimeRing>({
    maxSize: maxBytes,
    sizeCalculation: ({ capacity }) => entryBytes + capacity * timeBytes,
    dispose: (log, _key, reason) => {
      if (reason === "evict" && !isExpired(log)) evicted++
    },
  })

  /** The log without expired times, if there is one. */
  function current(key: string, nowMs: number): TimeRing | undefined {
    latestMs = nowMs
    const log = logs.get(key)
    log?.dropUntil(nowMs - windowMs)
    if (!log || log.count > 0) return log && shrunk(key, log)
    logs.delete(key)
    return undefined
  }

  function resized(key: string, log: TimeRing, capacity: number): TimeRing {
    const ring = log.resized(capacity)
    logs.set(key, ring)
    return ring
  }

  /** At a quarter, not a half, so that a log of about that size is not resized back and forth. */
  const shrunk = (key: string, log: TimeRing): TimeRing =>
    log.count * 4 < log.capacity && log.capacity > smallestCapacity
      ? resized(key, log, Math.max(2 * log.count, smallestCapacity))
      : log

  function decision(log: TimeRing | undefined, admitted: boolean, limit: number, nowMs: number) {
    const used = log?.count ?? 0
    const firstMs = log && used > 0 ? log.at(Math.max(0, used - limit)) : nowMs
    return { admitted, used, waitMs: firstMs + windowMs - nowMs }
  }

  return {
    admit: (key, limit, nowMs) => {
      let log = current(key, nowMs)
      const admitted = (log?.count ?? 0) < limit
      if (admitted) {
        log ??= new TimeRing(0)
        if (log.count === log.capacity) log = resized(key, log, grown(log.capacity, limit))
        log.push(nowMs)
      }
      return decision(log, admitted, limit, nowMs)
    },

    withdraw: (key) => {
      const log = logs.get(key)
      log?.dropNewest()
      if (log?.count === 0) logs.delete(key)
    },

    peek: (key, limit, nowMs) => {
      const log = current(key, nowMs)
      return decision(log, (log?.count ?? 0) < limit, limit, nowMs)
    },

    get size() {
      return logs.size
    },
    get bytes() {
      return logs.calculatedSize
    },
    get evicted() {
      return evicted
    },
  }
}

/** Times in ascending order, in a ring of fixed capacity: adding and dropping one costs O(1). */
class TimeRing {
  count = 0
  private first = 0
  private readonly times: Float64Array

  constructor(readonly capacity: number) {
    this.times = new Float64Array(capacity)
  }

  /** The time at an index from the oldest on, which must be below `count`. */
  at(index: number): number {
    const position = this.first + index
    return this.times[position < this.capacity ? position : position - this.capacity] ?? Number.NaN
  }

  /** The ring must not be full. */
  push(time: number): void {
    const position = this.first + this.count
    this.times[position < this.capacity ? position : position - this.capacity] = time
    this.count++
  }

  /** Drops the times up to this one. */
  dropUntil(time: number): void {
    while (this.count > 0 && this.at(0) <= time) {
      this.first = this.first + 1 === this.capacity ? 0 : this.first + 1
      this.count--
    }
  }

  /** The ring must not be empty. */
  dropNewest(): void {
    this.count--
  }

  /** A ring of the same times. */
  resized(capacity: number): TimeRing {
    const ring = new TimeRing(capacity)
    for (let index = 0; index < this.count; index++) ring.push(this.at(index))
    return ring
  }
}

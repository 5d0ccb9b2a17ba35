/**
 * The LRU caches of a process. Budgets in bytes and keys of a fixed size prevent clients from exhausting the
 * memory with many or long requests.
 */
import { LRUCache } from "lru-cache"

/**
 * The share of each cache in the memory of all caches, in percent. The windows of the rate limit have
 * budgets of their own, because an evicted window cannot be read again.
 */
const shares = {
  /** Whole responses. */
  responses: 38,
  /** The questions for lists. */
  questions: 5,
  /** The number of records of each list. */
  totals: 5,
  /** The positions of the ends of pages, and positions at equal distances in long lists. */
  positions: 18,
  /** The keys of short lists that need a scan. */
  keys: 3,
  /** The counts of values: of 60,000 holders two megabytes. */
  facets: 6,
  /** Valid tokens, their accounts and the time when their last use was recorded. */
  tokens: 15,
  /** The pinned releases of page sequences. */
  pageSequences: 10,
} as const

export type CacheSizes = Readonly<Record<keyof typeof shares, number>>

/** Page sequences stay in memory even without caches, because the database has no copy of them. */
const leastSequenceBytes = 1024 * 1024

/** Returns the budget of each cache, in bytes. */
export function cacheSizes(totalBytes: number): CacheSizes {
  const sizes = Object.fromEntries(
    Object.entries(shares).map(([name, percent]) => [
      name,
      Math.ceil((totalBytes * percent) / 100),
    ]),
  ) as Record<keyof typeof shares, number>
  return { ...sizes, pageSequences: Math.max(sizes.pageSequences, leastSequenceBytes) }
}

/** The measured overhead of an entry: a key of some sixty characters and the cache's own structures. */
export const entryBytes = 340

interface CacheReadings {
  entries: number
  /** The estimated memory of the entries. */
  bytes: number
  /** The number of evicted entries. */
  evicted: number
}

export type Cache<V extends NonNullable<unknown>> = LRUCache<string, V> & {
  readings(): CacheReadings
}

/**
 * @param maxBytes 0 for a cache that stays empty
 * @param bytesOf estimates the memory of a value
 */
export function createCache<V extends NonNullable<unknown>>(
  maxBytes: number,
  bytesOf: (value: V) => number,
): Cache<V> {
  let evicted = 0
  const cache = new LRUCache<string, V>({
    // A size of 0 would mean no limit. No entry fits into one byte.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (value) => entryBytes + bytesOf(value),
    dispose: (_value, _key, reason) => {
      if (reason === "evict") evicted++
    },
  })
  const readings = () => ({ entries: cache.size, bytes: cache.calculatedSize, evicted })
  return Object.assign(cache, { readings })
}

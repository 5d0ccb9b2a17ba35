/**
 * The LRU caches of a process. Each has a budget in bytes and keys of a fixed size, so that clients
 * cannot exhaust the memory with many or long requests.
 */
import { LRUCache } from "lru-cache"

/**
 * The share of each cache in the memory that the settings allow for all of them, in percent. The
 * rate limit's windows are not among them: an evicted window cannot be read again, so they have a
 * setting of their own.
 */
const shares = {
  /** Whole answers. */
  answers: 42,
  /** The plans of list requests. */
  plans: 5,
  /** The number of records of each list. */
  totals: 5,
  /** The positions at which pages end, and those at equal distances in long lists. */
  positions: 18,
  /** The keys of lists with few rows that are found by a scan. */
  keys: 3,
  /** How many records of a list have which values. */
  facets: 2,
  /** Valid tokens, their accounts and when their use was last recorded. */
  tokens: 12,
  /** The negative cache, separate so that a flood of invented tokens evicts no valid ones. */
  invalidTokens: 3,
  /** The release that each page sequence reads. */
  pageSequences: 10,
} as const

export type CacheSizes = Readonly<Record<keyof typeof shares, number>>

/** Page sequences are no copies of what the database has: they are kept even where nothing is cached. */
const leastSequenceBytes = 1024 * 1024

/** The budget of each cache, in bytes. */
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

export interface CacheReadings {
  entries: number
  /** An estimate of the memory that they take. */
  bytes: number
  /** How many made room for others. */
  evicted: number
}

export type Cache<V extends NonNullable<unknown>> = LRUCache<string, V> & {
  readings(): CacheReadings
}

/**
 * @param maxBytes 0 for a cache that keeps nothing
 * @param bytesOf estimates the memory that a value takes
 */
export function createCache<V extends NonNullable<unknown>>(
  maxBytes: number,
  bytesOf: (value: V) => number,
): Cache<V> {
  let evicted = 0
  const cache = new LRUCache<string, V>({
    // Without a size there would be no bound; no entry is as small as one byte.
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: (value) => entryBytes + bytesOf(value),
    dispose: (_value, _key, reason) => {
      if (reason === "evict") evicted++
    },
  })
  const readings = () => ({ entries: cache.size, bytes: cache.calculatedSize, evicted })
  return Object.assign(cache, { readings })
}

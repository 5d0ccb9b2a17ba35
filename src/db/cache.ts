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
  /** The number of records of each list. */
  totals: 15,
  /** The positions at which pages end. */
  positions: 35,
  /** Valid tokens and their accounts. */
  tokens: 20,
  /** The negative cache, separate so that a flood of invented tokens evicts no valid ones. */
  invalidTokens: 5,
  /** When the use of each token was last recorded. */
  tokenUses: 10,
  /** The release that each page sequence reads. */
  pageSequences: 15,
} as const

export type CacheSizes = Readonly<Record<keyof typeof shares, number>>

/** The budget of each cache, in bytes. */
export const cacheSizes = (totalBytes: number): CacheSizes =>
  Object.fromEntries(
    Object.entries(shares).map(([name, percent]) => [
      name,
      Math.ceil((totalBytes * percent) / 100),
    ]),
  ) as CacheSizes

/** The measured overhead of an entry: a key of some sixty characters and the cache's own structures. */
export const entryBytes = 340

export type Cache<V extends NonNullable<unknown>> = LRUCache<string, V>

/** @param bytesOf estimates the memory that a value takes */
export const createCache = <V extends NonNullable<unknown>>(
  maxBytes: number,
  bytesOf: (value: V) => number,
): Cache<V> =>
  new LRUCache<string, V>({
    maxSize: maxBytes,
    sizeCalculation: (value) => entryBytes + bytesOf(value),
  })

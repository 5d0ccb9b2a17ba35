/**
 * The caches of a process: each has a budget in bytes, forgets what was used longest ago, and finds
 * its entries by keys of a fixed size, so that nobody can fill the memory with many or long requests.
 */
import { LRUCache } from "lru-cache"

/**
 * What each cache takes of the memory that the settings give to all of them, in percent.
 * The windows are no cache: what they forget is not read again, and they have a setting of their own.
 */
const shares = {
  /** How many records a list has. */
  totals: 15,
  /** Where pages end. */
  positions: 35,
  /** Whose tokens are. */
  tokens: 20,
  /** Apart, so that a flood of invented tokens drives none of those out. */
  invalidTokens: 5,
  /** When the use of a token was last noted. */
  tokenUses: 10,
  pageSequences: 15,
} as const

export type CacheSizes = Readonly<Record<keyof typeof shares, number>>

/** The bytes that each cache may take of those for all. */
export const cacheSizes = (totalBytes: number): CacheSizes =>
  Object.fromEntries(
    Object.entries(shares).map(([name, percent]) => [
      name,
      Math.ceil((totalBytes * percent) / 100),
    ]),
  ) as CacheSizes

/** What an entry takes beside its value: a key of some sixty characters and its place in the cache. Measured. */
const entryBytes = 340

export type Cache<V extends NonNullable<unknown>> = LRUCache<string, V>

/** @param bytesOf about how much memory a value takes */
export const createCache = <V extends NonNullable<unknown>>(
  maxBytes: number,
  bytesOf: (value: V) => number,
): Cache<V> =>
  new LRUCache<string, V>({
    maxSize: maxBytes,
    sizeCalculation: (value) => entryBytes + bytesOf(value),
  })

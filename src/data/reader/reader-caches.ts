/** The pools and the caches by release that the parts of the reader share. */
import { type CacheSizes, createCache } from "../db/cache.ts"
import type { ReadPool } from "../db/pool/pool.ts"
import type { Reads } from "./reads.ts"
import { bytesOfPosition, type Position } from "./seek.ts"

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"records" | "lists" | "exports", ReadPool>>

/** Shared by the parts of the reader. */
export interface Reading {
  pools: ReaderPools
  caches: ReturnType<typeof createCaches>
  read: Reads
}

/** A value and the number of records that have it. */
export type ValueCount = {
  /** As its records have it: of several spellings the most frequent; null where it is unknown. */
  value: string | null
  count: number
}

/** Counts in their order. A list may have tens of thousands of values, and a page shows few of them. */
export interface Counts extends Pick<readonly ValueCount[], "length" | "slice"> {
  /** Their memory. */
  bytes: number
}

/** The caches by release. */
export const createCaches = (sizes: CacheSizes) => ({
  totals: createCache<number>(sizes.totals, () => 16),
  /** Of the rows of lists, separated by spaces. */
  keys: createCache<string>(sizes.keys, bytesOfText),
  /** The positions of the ends of pages, and positions at equal distances, by list and offset. */
  positions: createCache<Position>(sizes.positions, bytesOfPosition),
  /** Null for too many values. */
  facets: createCache<{ counts: Counts | null }>(sizes.facets, ({ counts }) => counts?.bytes ?? 0),
})

const bytesOfText = (text: string): number => 2 * text.length

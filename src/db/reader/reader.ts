/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a load publishes a newer one meanwhile
 * (`reads.ts`). A release never changes: caches of totals, positions, facets and the keys of short lists
 * do not expire, and concurrent equal requests share a statement.
 */
import { type CacheSizes, createCache } from "../cache.ts"
import type { ReadPool } from "../pool/pool.ts"
import { createExportReader } from "./export-reader.ts"
import { type Counts, createFacets } from "./facets.ts"
import { createListReader } from "./list-reader.ts"
import { createReads, type Reads } from "./reads.ts"
import { createRecordReader } from "./record-reader.ts"
import { bytesOfPosition, type Position } from "./seek.ts"
import { createTotals } from "./totals.ts"

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"records" | "lists" | "exports", ReadPool>>

/** Shared by the parts of the reader. */
export interface Reading {
  pools: ReaderPools
  caches: ReturnType<typeof createCaches>
  read: Reads
}

/** The caches by release. */
const createCaches = (sizes: CacheSizes) => ({
  totals: createCache<number>(sizes.totals, () => 16),
  /** Of the rows of lists, separated by spaces. */
  keys: createCache<string>(sizes.keys, bytesOfText),
  /** The positions of the ends of pages, and positions at equal distances, by list and offset. */
  positions: createCache<Position>(sizes.positions, bytesOfPosition),
  /** Null for too many values. */
  facets: createCache<{ counts: Counts | null }>(sizes.facets, ({ counts }) => counts?.bytes ?? 0),
})

const bytesOfText = (text: string): number => 2 * text.length

export type Reader = ReturnType<typeof createReader>

/** @param onSeen receives the newest release that a statement saw; null if the requested one is missing */
export function createReader(
  pools: ReaderPools,
  sizes: CacheSizes,
  onSeen: (newest: number | null) => void = () => {},
) {
  const caches = createCaches(sizes)
  const reading = { pools, caches, read: createReads(onSeen) }
  const total = createTotals(reading)
  return {
    ...createListReader(reading, total),
    total,
    chunks: createExportReader(reading, total),
    facet: createFacets(reading),
    find: createRecordReader(reading),
    /** The state of each cache, by name. */
    cacheReadings: () =>
      Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, cache.readings()])),
  }
}

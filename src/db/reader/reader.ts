/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a newer one is published in between
 * (see `reads.ts`). The contents of a release never change: totals, positions, breakdowns and the keys of
 * short lists are cached by release without expiry, and concurrent requests for the same share a statement.
 */
import { type CacheReadings, type CacheSizes, createCache } from "../cache.ts"
import type { ReadPool } from "../pool/pool.ts"
import { createBreakdowns, type ReadBreakdown } from "./breakdown.ts"
import { createExportReader, type ReadExport } from "./export-reader.ts"
import { createListReader, type ReadPage } from "./list-reader.ts"
import { createReads, type Reads } from "./reads.ts"
import { createRecordReader, type FindRecord } from "./record-reader.ts"
import { bytesOfPosition, type Position } from "./seek.ts"
import { createTotals, type ReadTotal } from "./totals.ts"

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"records" | "lists" | "exports", ReadPool>>

/** Every method may throw Unavailable or ReleaseUnavailable. */
export interface Reader {
  page: ReadPage
  total: ReadTotal
  /**
   * Every record of the list, encoded, `chunkSize` at a time; null where its parent does not exist.
   * After the first chunk, it retries while the database is unavailable for some seconds.
   */
  chunks: ReadExport
  /** How many records of a list have each combination of values of some fields. */
  breakdown: ReadBreakdown
  /** One record by its key; null where there is none. */
  find: FindRecord
  /** The state of each cache, by name. */
  cacheReadings(): Record<string, CacheReadings>
}

/** What the parts of the reader share. */
export interface Reading {
  pools: ReaderPools
  caches: ReturnType<typeof createCaches>
  read: Reads
}

/** What is cached by release. */
const createCaches = (sizes: CacheSizes) => ({
  totals: createCache<number>(sizes.totals, () => 16),
  /** Of the rows of lists, separated by spaces. */
  keys: createCache<string>(sizes.keys, bytesOfText),
  /** At which pages end, and those at equal distances, by list and offset. */
  positions: createCache<Position>(sizes.positions, bytesOfPosition),
  breakdowns: createCache<string>(sizes.breakdowns, bytesOfText),
})

const bytesOfText = (text: string): number => 2 * text.length

/** @param onSeen called with what each statement saw: the newest release, or null if the requested one is not there */
export function createReader(
  pools: ReaderPools,
  sizes: CacheSizes,
  onSeen: (newest: number | null) => void = () => {},
): Reader {
  const caches = createCaches(sizes)
  const reading = { pools, caches, read: createReads(onSeen) }
  const total = createTotals(reading)
  return {
    page: createListReader(reading, total),
    total,
    chunks: createExportReader(reading, total),
    breakdown: createBreakdowns(reading),
    find: createRecordReader(reading),
    cacheReadings: () =>
      Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, cache.readings()])),
  }
}

/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a newer one is published in between
 * (see `reads.ts`). The contents of a release never change: totals, the positions at which pages end,
 * anchors, breakdowns and the keys of short lists are cached by release without expiry, and concurrent
 * requests for the same share a statement.
 */
import type { CacheSizes } from "../cache.ts"
import type { ReadPool } from "../pool/pool.ts"
import { createBreakdownCache, createBreakdowns, type ReadBreakdown } from "./breakdown.ts"
import { createExportReader, type ReadExport } from "./export-reader.ts"
import {
  createListCaches,
  createListReader,
  type ListCacheSizes,
  type ListReader,
} from "./list-reader.ts"
import { createReads } from "./reads.ts"
import { createRecordReader, type FindRecord } from "./record-reader.ts"

/** Each kind of statement has connections of its own. */
export type ReaderPools = Readonly<Record<"records" | "lists" | "exports", ReadPool>>

/** Every method may throw Unavailable or ReleaseUnavailable. */
export interface Reader extends ListReader {
  /**
   * Every record of the list, encoded, `chunkSize` at a time; null where its parent does not exist.
   * After the first chunk, it retries while the database is unavailable for some seconds.
   */
  chunks: ReadExport
  /** How many records of a list have each combination of values of some fields. */
  breakdown: ReadBreakdown
  /** One record by its key; null where there is none. */
  find: FindRecord
}

/** The budgets of the reader's caches. */
export type ReaderSizes = ListCacheSizes & Pick<CacheSizes, "breakdowns">

/** What is cached by release. */
export type ReaderCaches = ReturnType<typeof createReaderCaches>

export const createReaderCaches = (sizes: ReaderSizes) => ({
  lists: createListCaches(sizes),
  breakdowns: createBreakdownCache(sizes),
})

/** The state of each. */
export const readingsOf = ({ lists, breakdowns }: ReaderCaches) => ({
  totals: lists.totals.readings(),
  keys: lists.keys.readings(),
  positions: lists.positions.readings(),
  anchors: lists.anchors.readings(),
  breakdowns: breakdowns.readings(),
})

/** @param onSeen called with what each statement saw: the newest release, or null if the requested one is not there */
export function createReader(
  pools: ReaderPools,
  caches: ReaderCaches,
  onSeen: (newest: number | null) => void = () => {},
): Reader {
  const read = createReads(onSeen)
  const lists = createListReader(pools, read, caches.lists)

  return {
    ...lists,

    chunks: createExportReader(pools, read, lists.total),

    breakdown: createBreakdowns(pools, read, caches.breakdowns),

    find: createRecordReader(pools, read),
  }
}

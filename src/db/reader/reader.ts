/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a newer one is published in between
 * (see `relation-choice.ts`). The contents of a release never change: totals, the positions at which
 * pages end, anchors, breakdowns and the keys of short lists are cached by release without expiry, and concurrent
 * requests for the same share a query.
 */
import type { HolderNames } from "../../resources/holder-names.ts"
import type { CacheSizes } from "../cache.ts"
import type { Database } from "../pool/replaceable-client.ts"
import { createBreakdownCache, createBreakdowns, type ReadBreakdown } from "./breakdown.ts"
import {
  type ChunkReader,
  createChunkReader,
  createExportReader,
  type ReadExport,
} from "./export-reader.ts"
import {
  createListCaches,
  createListReader,
  type ListCacheSizes,
  type ListReader,
  type ReaderPools,
} from "./list-reader.ts"
import { createRecordReader, type FindRecord } from "./record-reader.ts"
import { createRelationChoice } from "./relation-choice.ts"
import { createStatements } from "./statements.ts"

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

/** What is cached by release, which is the same everywhere. */
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

/** Reads on the primary or on the replica. */
export interface HostReader extends Omit<Reader, "chunks"> {
  chunks: ChunkReader
}

/**
 * @param onSeen called with what each statement saw: the newest release, or null if the requested one is not there
 * @param holders which holders are shown by their names
 */
export function createHostReader(
  pools: ReaderPools,
  caches: ReaderCaches,
  onSeen?: (newest: number | null) => void,
  holders: HolderNames = "all",
): HostReader {
  const statementsOn = (db: Database) => createStatements(db, holders)
  const relations = createRelationChoice(onSeen)

  return {
    ...createListReader(pools, relations, caches.lists, statementsOn),

    chunks: createChunkReader(pools, relations, statementsOn),

    breakdown: createBreakdowns(pools.counts, relations, caches.breakdowns, statementsOn),

    find: createRecordReader(pools, relations, statementsOn),
  }
}

/** Runs a read, perhaps twice: it has no effect. @template T what reads */
export type ReadOn<T> = <R>(read: (on: T) => Promise<R>) => Promise<R>

export function createReaderOn(read: ReadOn<HostReader>): Reader {
  const total: Reader["total"] = (list, options) => read((reader) => reader.total(list, options))
  return {
    page: (list, bounds, options) => read((reader) => reader.page(list, bounds, options)),

    total,

    chunks: createExportReader((readChunk) => read(({ chunks }) => readChunk(chunks)), total),

    breakdown: (list, fields, options) => read((reader) => reader.breakdown(list, fields, options)),

    find: (resource, key, options) => read((reader) => reader.find(resource, key, options)),
  }
}

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
import { createBreakdowns, type ReadBreakdown } from "./breakdown.ts"
import { createExportReader, type ReadExport } from "./export-reader.ts"
import {
  createListReader,
  type ListReader,
  type ReaderPools,
  type ReaderSizes,
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

/**
 * @param onSeen called with what each statement saw: the newest release, or null if the requested one is not there
 * @param holders which holders are shown by their names
 */
export function createReader(
  pools: ReaderPools,
  sizes: ReaderSizes & Pick<CacheSizes, "breakdowns">,
  onSeen?: (newest: number | null) => void,
  holders: HolderNames = "all",
): Reader {
  const statementsOn = (db: Database) => createStatements(db, holders)
  const relations = createRelationChoice(onSeen)
  const lists = createListReader(pools, relations, sizes, statementsOn)

  return {
    ...lists,

    chunks: createExportReader(pools, relations, lists.total, statementsOn),

    breakdown: createBreakdowns(pools.counts, relations, sizes, statementsOn),

    find: createRecordReader(pools, relations, statementsOn),
  }
}

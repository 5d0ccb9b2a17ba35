/**
 * Reads lists and records at a release.
 *
 * All statements of one response read the same release, even if a load publishes a newer one meanwhile
 * (`reads.ts`). A release never changes: caches of totals, positions, facets and the keys of short lists
 * do not expire, and concurrent equal requests share a statement.
 */
import type { CacheSizes } from "../db/cache.ts"
import { createExportReader } from "./export-reader.ts"
import { createFacets } from "./facets.ts"
import { createListReader } from "./list-reader.ts"
import { createCaches, createReads, type ReaderPools } from "./reads.ts"
import { createRecordReader } from "./record-reader.ts"

export type Reader = ReturnType<typeof createReader>

/** @param onMissing called if a requested release is not there */
export function createReader(pools: ReaderPools, sizes: CacheSizes, onMissing: () => void) {
  const caches = createCaches(sizes)
  const reading = { pools, caches, read: createReads(onMissing) }
  const lists = createListReader(reading)
  return {
    ...lists,
    chunks: createExportReader(reading, lists.total),
    facet: createFacets(reading),
    find: createRecordReader(reading),
    /** The state of each cache, by name. */
    cacheReadings: () =>
      Object.fromEntries(Object.entries(caches).map(([name, cache]) => [name, cache.readings()])),
  }
}

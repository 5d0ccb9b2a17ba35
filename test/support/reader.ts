import {
  createReaderCaches,
  createReader as createReaderWith,
  type Reader,
  type ReaderPools,
  type ReaderSizes,
} from "../../src/db/reader/reader.ts"

/** A reader with caches of its own. The parameters are those of the service's. */
export const createReader = (
  pools: ReaderPools,
  sizes: ReaderSizes,
  onSeen?: (newest: number | null) => void,
): Reader => createReaderWith(pools, createReaderCaches(sizes), onSeen)

import {
  createReaderCaches,
  createReader as createReaderWith,
  type Reader,
  type ReaderPools,
  type ReaderSizes,
} from "../../src/db/reader/reader.ts"
import type { HolderNames } from "../../src/resources/holder-names.ts"

/** A reader with caches of its own. The parameters are those of the service's. */
export const createReader = (
  pools: ReaderPools,
  sizes: ReaderSizes,
  onSeen?: (newest: number | null) => void,
  holders?: HolderNames,
): Reader => createReaderWith(pools, createReaderCaches(sizes), onSeen, holders)

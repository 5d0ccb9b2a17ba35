/** A reader without a replica. */
import type { ReaderPools } from "../../src/db/reader/list-reader.ts"
import {
  createHostReader,
  createReaderCaches,
  createReaderOn,
  type Reader,
  type ReaderSizes,
} from "../../src/db/reader/reader.ts"
import type { HolderNames } from "../../src/resources/holder-names.ts"

/** The parameters are those of `createHostReader`. */
export function createReader(
  pools: ReaderPools,
  sizes: ReaderSizes,
  onSeen?: (newest: number | null) => void,
  holders?: HolderNames,
): Reader {
  const reader = createHostReader(pools, createReaderCaches(sizes), onSeen, holders)
  return createReaderOn((read) => read(reader))
}

/** Reads lists and records, on the standbys where there are any. */
import type { Config } from "../config.ts"
import type { CachedReleases } from "../db/reader/newest-release.ts"
import {
  createHostReader,
  createReaderOn,
  type Reader,
  type ReaderCaches,
} from "../db/reader/reader.ts"
import type { Database } from "./database.ts"
import type { ReadPools } from "./pools.ts"

export interface ReaderOptions {
  database: Pick<Database, "pools" | "perStandby" | "reads">
  caches: ReaderCaches
  /** Learns of the releases that statements see. */
  releases: Pick<CachedReleases, "recordSeen" | "recordSeenOnStandby">
  config: Pick<Config, "HOLDER_NAMES">
}

export function createReader({ database, caches, releases, config }: ReaderOptions): Reader {
  const on = (onSeen: (newest: number | null) => void) => (pools: ReadPools) =>
    createHostReader(pools, caches, onSeen, config.HOLDER_NAMES)
  const onPrimary = on(releases.recordSeen)(database.pools)
  const onStandby = database.perStandby(on(releases.recordSeenOnStandby))
  return createReaderOn(database.reads(onPrimary, onStandby))
}

/** Reads lists and records, on the replicas where there are any. */
import type { Config } from "../config.ts"
import type { CachedReleases } from "../db/reader/newest-release.ts"
import {
  createHostReader,
  createReaderOn,
  type Reader,
  type ReaderCaches,
} from "../db/reader/reader.ts"
import { type Database, readOnReplica } from "./database.ts"
import type { ReadPools } from "./pools.ts"

export interface ReaderOptions {
  database: Pick<Database, "pools" | "replica">
  caches: ReaderCaches
  /** Learns of the releases that statements see. */
  releases: Pick<CachedReleases, "recordSeen" | "recordSeenOnReplica">
  config: Pick<Config, "HOLDER_NAMES">
}

export function createReader({ database, caches, releases, config }: ReaderOptions): Reader {
  const on = (pools: ReadPools, onSeen: (newest: number | null) => void) =>
    createHostReader(pools, caches, onSeen, config.HOLDER_NAMES)
  const primary = on(database.pools, releases.recordSeen)
  const { replica } = database
  return createReaderOn(
    replica
      ? readOnReplica(on(replica, releases.recordSeenOnReplica), primary)
      : (read) => read(primary),
  )
}

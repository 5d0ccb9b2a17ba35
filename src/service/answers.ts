/** Builds the parts that serve data: the reader, caches, page sequences and exports. */
import { createReleaseResolver } from "../answers/at-release.ts"
import { createCachedAnswers } from "../answers/cached-answers.ts"
import { createExportCounts } from "../answers/export-counts.ts"
import { createListAnswers } from "../answers/list-answer.ts"
import { createPlans } from "../answers/list-plan.ts"
import { createPins } from "../answers/pins.ts"
import { createRecordAnswers } from "../answers/record-answer.ts"
import type { Config } from "../config.ts"
import type { CacheSizes } from "../db/cache.ts"
import { createTurns } from "../db/pool/turns.ts"
import type { CachedReleases } from "../db/reader/newest-release.ts"
import type { OrdinaryCode } from "../db/reader/ordinary-codes.ts"
import { createReader, type ReaderPools } from "../db/reader/reader.ts"
import type { ReadSources } from "../db/reader/sources.ts"
import type { Log } from "../log/log.ts"
import type { RedisConnection } from "../redis/connection.ts"

export interface AnswersPartsOptions {
  config: Config
  sizes: CacheSizes
  pools: ReaderPools
  releases: CachedReleases
  ordinaryCode: OrdinaryCode
  readSources: ReadSources
  redis: RedisConnection | null
  log: Log
  now: () => Date
  steadyMs: () => number
}

export function createAnswers(options: AnswersPartsOptions) {
  const { config, sizes, pools, releases, readSources, log } = options
  const reader = createReader(pools, sizes, releases.recordSeen)
  const pins = createPins({ ...options, maxBytes: sizes.pageSequences })
  const cachedAnswers = createCachedAnswers(sizes)
  const exportTurns = createTurns({
    places: config.MAX_EXPORTS,
    placesPerAccount: Math.ceil(config.MAX_EXPORTS / 5),
  })
  const exportCounts = createExportCounts()
  const exportShutdown = new AbortController()
  const resolver = createReleaseResolver({ ...options, pins })
  const reading = { resolver, reader, cachedAnswers }
  const lists = createListAnswers({
    ...reading,
    readSources,
    exportTurns,
    exportCounts,
    exportStallMs: config.EXPORT_STALL_SECONDS * 1000,
    exportShutdown: exportShutdown.signal,
    baseUrl: config.BASE_URL,
    log,
  })
  return {
    parts: { lists, records: createRecordAnswers(reading), planOf: createPlans(sizes) },
    measured: { reader, cachedAnswers, exportTurns, exportCounts },
    abortExports: () => exportShutdown.abort(),
  }
}

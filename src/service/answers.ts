/** Builds the parts that serve data: the reader, caches, page sequences and exports. */
import { createReleaseResolver } from "../answers/at-release.ts"
import { createCachedAnswers } from "../answers/cached-answers.ts"
import { createExportCounts } from "../answers/export-counts.ts"
import type { ExportSlots } from "../answers/export-slots.ts"
import { createListAnswers } from "../answers/list-answer.ts"
import { createPlans } from "../answers/list-plan.ts"
import { createPins } from "../answers/pins.ts"
import { createRecordAnswers } from "../answers/record-answer.ts"
import type { Config } from "../config.ts"
import type { CacheSizes } from "../db/cache.ts"
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
  exportSlots: ExportSlots
  releases: CachedReleases
  ordinaryCode: OrdinaryCode
  readSources: ReadSources
  redis: RedisConnection | null
  log: Log
  now: () => Date
  steadyMs: () => number
}

export function createAnswers(options: AnswersPartsOptions) {
  const { config, sizes, pools, releases, exportSlots } = options
  const reader = createReader(pools, sizes, releases.recordSeen)
  const pins = createPins({ ...options, maxBytes: sizes.pageSequences })
  const cachedAnswers = createCachedAnswers(sizes)
  const exportCounts = createExportCounts()
  const resolver = createReleaseResolver({ ...options, pins })
  const reading = { resolver, reader, cachedAnswers }
  const lists = createListAnswers({
    ...options,
    ...reading,
    exportCounts,
    baseUrl: config.BASE_URL,
  })
  return {
    parts: { lists, records: createRecordAnswers(reading), planOf: createPlans(sizes) },
    measured: { reader, cachedAnswers, exportSlots, exportCounts },
  }
}

/** Builds the parts that serve data: the reader, caches, page sequences and exports. */

import type { Config } from "../config.ts"
import type { CacheSizes } from "../db/cache.ts"
import type { CachedReleases } from "../db/reader/newest-release.ts"
import { createReader } from "../db/reader/reader.ts"
import type { ReaderPools } from "../db/reader/reader-caches.ts"
import type { ReadSources } from "../db/reader/sources.ts"
import type { Log } from "../log/log.ts"
import type { RedisConnection } from "../redis/connection.ts"
import { createReleaseResolver } from "../responses/at-release.ts"
import { createCachedResponses } from "../responses/cached-responses.ts"
import { createExportCounts } from "../responses/export-response.ts"
import type { ExportSlots } from "../responses/export-slots.ts"
import { createPins } from "../responses/pins.ts"
import { createPlans } from "../responses/plan.ts"
import { createResponses } from "../responses/respond.ts"

export interface ResponsesPartsOptions {
  config: Config
  sizes: CacheSizes
  pools: ReaderPools
  exportSlots: ExportSlots
  releases: CachedReleases
  readSources: ReadSources
  redis: RedisConnection | null
  log: Log
  now: () => Date
  steadyMs: () => number
}

export function createResponseParts(options: ResponsesPartsOptions) {
  const { config, sizes, pools, releases, exportSlots } = options
  const reader = createReader(pools, sizes, releases.recordSeen)
  const pins = createPins({ ...options, maxBytes: sizes.pageSequences })
  const cachedResponses = createCachedResponses(sizes)
  const exportCounts = createExportCounts()
  const resolver = createReleaseResolver({ ...options, pins })
  const responses = createResponses({
    ...options,
    resolver,
    reader,
    cachedResponses,
    exportCounts,
    baseUrl: config.BASE_URL,
  })
  return {
    parts: { responses, planOf: createPlans(sizes) },
    measured: { reader, cachedResponses, exportSlots, exportCounts },
  }
}

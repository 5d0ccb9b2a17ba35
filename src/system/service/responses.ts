/** Builds the parts that serve data: releases, the reader, caches, page sequences and exports. */

import { createPreview } from "../../accounts/alerts/events.ts"
import { createAnswers } from "../../api/responses/answers.ts"
import { withAreas } from "../../api/responses/around-tenements.ts"
import { createAsk } from "../../api/responses/ask.ts"
import { createReleaseResolver } from "../../api/responses/at-release.ts"
import { createCachedResponses } from "../../api/responses/cached-responses.ts"
import { createExportSlots } from "../../api/responses/export-slots.ts"
import { createPins } from "../../api/responses/pins.ts"
import { createMissingReader } from "../../data/db/missing-records.ts"
import { createFormerNames } from "../../data/reader/former-names.ts"
import { createLinkReader } from "../../data/reader/links.ts"
import { cacheNewestRelease } from "../../data/reader/newest-release.ts"
import { createReader } from "../../data/reader/reader.ts"
import { createReleases } from "../../data/reader/releases.ts"
import { createSourceLoads } from "../../data/reader/source-loads.ts"
import { createSources } from "../../data/reader/sources.ts"
import { pageOfSubject } from "../../web/pages/explore/lists/watched.ts"
import { createExportMetrics } from "../metrics/exports.ts"
import type { Base } from "./base.ts"

export function createResponseParts(base: Base) {
  const { config, sizes, database, notWritten, steadyMs, now } = base
  const { records } = database.pools
  const releases = cacheNewestRelease(createReleases(records), now)
  // Connects before the first request, which retries and reports a failure.
  void Promise.allSettled([releases.current()])
  const reader = withAreas(createReader(database.readPools, sizes, releases.invalidate))
  const readSources = createSources(database.pools)
  const exportSlots = createExportSlots({
    slots: config.MAX_EXPORTS,
    stallMs: config.EXPORT_STALL_SECONDS * 1000,
    steadyMs,
    onNotChecked: notWritten("an export's caller was not checked"),
  })
  const pins = createPins({ ...base, maxBytes: sizes.pageSequences })
  const cachedResponses = createCachedResponses(sizes)
  const exportMetrics = createExportMetrics()
  const answers = createAnswers({
    ...base,
    resolver: createReleaseResolver({ releases, pins, now }),
    reader,
    readSources,
    formerNames: createFormerNames(records),
    cachedResponses,
    exportSlots,
    exportMetrics,
    baseUrl: config.BASE_URL,
  })
  return {
    parts: {
      answers,
      ask: createAsk(sizes),
      releases,
      readSources,
      sourceLoads: createSourceLoads(records),
      companyLinks: createLinkReader(records),
      readMissing: createMissingReader(records),
      previewWatch: createPreview({ reader, releases, baseUrl: "", pageOf: pageOfSubject, now }),
    },
    measured: { reader, cachedResponses, exportSlots, exportMetrics },
  }
}

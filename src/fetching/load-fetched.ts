/**
 * Loads the files of a fetch, as by hand, except for files older than loaded ones, which a load would refuse
 * although the source is not at fault.
 */
import { join } from "node:path"
import type { Connection } from "../db/connection.ts"
import { load } from "../loading/load.ts"
import { LoadError } from "../loading/load-error.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import { digestsOf, lastObservation, newerFilesText } from "../loading/observation.ts"
import { keepsFiles } from "../loading/stored-holders.ts"
import type { LoadSummary } from "../loading/summary.ts"
import { type FetchedFile, oldestObserved } from "./fetch-files.ts"
import { fetchRecord } from "./fetch-record.ts"
import type { Limits } from "./limits.ts"
import type { Fetchable } from "./sources-file.ts"

export interface FetchedLoadOptions
  extends Pick<LoadOptions, "onCommit" | "onPublished">,
    Required<Pick<LoadOptions, "absentAfterHours" | "holderNames" | "progress">> {
  databaseUrl: string
  dataDir: string
  limits: Limits
  /** Fetches sources that are not due too. */
  force: boolean
}

export interface FetchedLoad {
  outcome: "published" | "unchanged" | "refused"
  /** Why the load was refused, or is unchanged although newer files have been loaded. */
  reason: string | null
  /** Null where nothing was loaded. */
  summary: LoadSummary | null
}

/** @throws errors other than refusals, such as a lost database */
export async function loadFetched(
  sql: Connection,
  { source, entry }: Fetchable,
  files: readonly FetchedFile[],
  options: FetchedLoadOptions,
  startedMs: number,
): Promise<FetchedLoad> {
  const { absentAfterHours, holderNames, progress, onCommit, onPublished } = options
  const { partial = false, all_sectors: allSectors = false } = entry
  const { crs, without_shapes: withoutShapes } = entry
  const digests = digestsOf(files).join()
  const observed = oldestObserved(files)
  const fetched = await fetchRecord(sql, source)
  const loaded = await lastObservation(sql, source)
  const isLoaded = loaded.files?.join() === digests
  const newer = loaded.observed !== null && loaded.observed > observed ? loaded.observed : undefined
  if (newer !== undefined && !isLoaded && fetched.files?.join() === digests) {
    const reason = newerFilesText(source.name, newer, loaded.isKnown)
    return { outcome: "unchanged", reason, summary: null }
  }
  try {
    const summary = await load({
      ...{ source, partial, allSectors, crs, withoutShapes, absentAfterHours, holderNames },
      url: options.databaseUrl,
      files: files.map(({ path }) => path),
      // The fetch of bytes that were loaded by hand for a later time does not make them older.
      observed: isLoaded && newer !== undefined ? newer : observed,
      rejectsDir: keepsFiles(holderNames, source.resource)
        ? join(options.dataDir, "rejects")
        : undefined,
      maxUnpackedBytes: options.limits.maxUnpackedBytes,
      fetchStartedMs: startedMs,
      progress,
      onCommit,
      onPublished,
    })
    const outcome = summary.release === null ? "unchanged" : "published"
    return { outcome, reason: null, summary }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    return { outcome: "refused", reason: error.message, summary: null }
  }
}

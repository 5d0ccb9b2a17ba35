/**
 * Fetches one source and loads its files, as a load by hand would. The files are in the raw directory before
 * the load begins, so a killed process or a refused load loses nothing: the next fetch asks the server whether
 * they are still the newest, and loads them.
 */
import { join } from "node:path"
import type { Connection } from "../../data/db/connection.ts"
import { hourMs, secondOf } from "../../system/text/time.ts"
import { load } from "../loading/load.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { crsOf, type LoadOptions } from "../loading/load-options.ts"
import { digestsOf, type LastLoad, lastLoad, newerFilesText } from "../loading/observation.ts"
import { secondsSince } from "../loading/source-record.ts"
import { keepsFiles } from "../loading/stored-holders.ts"
import type { LoadSummary } from "../loading/summary.ts"
import { type FetchedFile, fetchFiles, oldestObserved } from "./fetch-files.ts"
import { recordFailedFetch, recordFetched } from "./fetch-record.ts"
import type { Limits } from "./limits.ts"
import { withRawDirectory } from "./raw-files.ts"
import { entryHeaders, type Fetchable, withoutSecrets } from "./sources-file.ts"

export interface FetchOptions
  extends Pick<LoadOptions, "onCommit" | "onPublished">,
    Required<Pick<LoadOptions, "absentAfterHours" | "holderNames" | "progress">> {
  databaseUrl: string
  dataDir: string
  limits: Limits
  userAgent: string
  environment: NodeJS.ProcessEnv
  /** Fetches the source although it is not due. */
  force: boolean
  /** When the entries were last edited, in milliseconds: an earlier failure may be mended. */
  editedMs: number
  /** By one clock for all processes that share the database. */
  now: () => Date
  /** Returns the message for an error that is no LoadError. */
  describe: (error: unknown) => string
}

export interface FetchOutcome {
  source: string
  /**
   * `failed`: the download or the load failed; `refused`: the load was refused; `not due`: the last fetch
   * was recent; `busy`: another process fetches the source.
   */
  outcome: "published" | "unchanged" | "refused" | "failed" | "not due" | "busy"
  /** Null where files were loaded. */
  reason: string | null
  /** The paths of its raw files. */
  files: string[]
  /** Null where nothing was loaded. */
  summary: LoadSummary | null
}

const withoutLoad = (outcome: FetchOutcome["outcome"], reason: string) => ({
  ...{ outcome, reason, files: [], summary: null },
})

export async function fetchSource(
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { name: source, resource } = fetchable.source
  const { databaseUrl, dataDir, holderNames } = options
  const keeps = keepsFiles(holderNames, resource)
  try {
    const outcome = await withRawDirectory(
      { databaseUrl, dataDir, source, keeps },
      (directory, sql) => fetchIfDue(sql, fetchable, options, directory),
      (reason) => withoutLoad("busy", reason),
    )
    return { source, ...outcome, ...(!keeps && { files: [] }) }
  } catch (error) {
    return { source, ...withoutLoad("failed", reasonShown(fetchable, options, error)) }
  }
}

const defaultEveryHours = 24
/** The wait after a failed fetch. */
const hoursAfterFailure = 1

/**
 * How much before the interval ends a fetch may be repeated, half an hour of a day: a daily job begins a
 * little earlier or later, and fetches one source after the other.
 */
const leewayOf = (everyHours: number) => Math.min(everyHours, 24) / 48

/** The time from which on the source is due, in milliseconds. */
function dueAt({ attempted, fetched }: LastLoad, everyHours: number, editedMs: number): number {
  const after = (time: string | null, hours: number) =>
    time === null ? 0 : Date.parse(time) + hours * hourMs
  const isMended = attempted !== null && Date.parse(attempted) < editedMs
  return Math.max(
    after(fetched, everyHours - leewayOf(everyHours)),
    isMended ? 0 : after(attempted, Math.min(everyHours, hoursAfterFailure)),
  )
}

/** Records the fetch at its end: an interrupted one leaves the source as due as before. */
async function fetchIfDue(
  sql: Connection,
  fetchable: Fetchable,
  options: FetchOptions,
  directory: string,
): Promise<Omit<FetchOutcome, "source">> {
  const { source, entry } = fetchable
  const { userAgent, environment, limits, now, progress } = options
  const startedAt = now()
  const at = secondOf(startedAt)
  const startedMs = performance.now()
  const dueMs = dueAt(
    await lastLoad(sql, source),
    entry.every ?? defaultEveryHours,
    options.editedMs,
  )
  if (!options.force && dueMs > startedAt.getTime()) {
    const reason = `due from ${new Date(dueMs).toISOString()} on; --force fetches it now`
    return withoutLoad("not due", reason)
  }
  // A failure to record the fetch must not undo the load.
  const recorded = (recording: Promise<void>) =>
    recording.catch((error: unknown) => {
      progress.warn(`Cannot record the fetch of ${source.name}: ${reasonOf(error)}`)
    })
  try {
    progress.step(`Fetching ${source.name}`)
    const headers = entryHeaders(entry, environment)
    const access = { userAgent, headers, limits }
    const files = await fetchFiles(entry, { directory, access, now })
    const loaded = await loadFetched(sql, fetchable, files, options, startedMs)
    const isLoaded = loaded.outcome === "refused" || loaded.summary !== null
    const seconds = secondsSince(startedMs)
    await recorded(recordFetched(sql, fetchable, { at, isLoaded, seconds }))
    return { ...loaded, files: files.map(({ path }) => path) }
  } catch (error) {
    const reason = reasonShown(fetchable, options, error)
    const seconds = secondsSince(startedMs)
    await recorded(recordFailedFetch(sql, source, { at, reason, seconds }))
    return withoutLoad("failed", reason)
  }
}

/**
 * Loads the files, unless they are older than loaded ones: a load would refuse them although the source is not
 * at fault.
 * @throws errors other than refusals, such as a lost database
 */
async function loadFetched(
  sql: Connection,
  { source, entry }: Fetchable,
  files: readonly FetchedFile[],
  options: FetchOptions,
  startedMs: number,
): Promise<Omit<FetchOutcome, "source" | "files">> {
  const { partial, all_sectors: allSectors, without_shapes: withoutShapes } = entry
  const crs = entry.crs === undefined ? undefined : crsOf(entry.crs)
  const fetched = oldestObserved(files)
  const last = await lastLoad(sql, source)
  const isSame = last.files?.join() === digestsOf(files).join()
  const newer = last.observed !== null && last.observed > fetched ? last.observed : undefined
  if (newer !== undefined && !isSame) {
    const reason = newerFilesText(source.name, newer, last.isKnown)
    return { outcome: "unchanged", reason, summary: null }
  }
  try {
    const summary = await load({
      ...options,
      ...{ source, partial, allSectors, crs, withoutShapes, startedMs },
      url: options.databaseUrl,
      files: files.map(({ path }) => path),
      // The fetch of bytes that were loaded by hand does not make a later time older, unless it was assumed.
      observed: last.isKnown ? (newer ?? fetched) : fetched,
      rejectsDir: keepsFiles(options.holderNames, source.resource)
        ? join(options.dataDir, "rejects")
        : undefined,
      maxUnpackedBytes: options.limits.maxUnpackedBytes,
    })
    const outcome = summary.release === null ? "unchanged" : "published"
    return { outcome, reason: null, summary }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    return { outcome: "refused", reason: error.message, summary: null }
  }
}

const reasonShown = (
  { entry }: Fetchable,
  { environment, describe }: FetchOptions,
  error: unknown,
): string =>
  withoutSecrets(error instanceof LoadError ? error.message : describe(error), entry, environment)

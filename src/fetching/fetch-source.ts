/**
 * Fetches one source and loads its files if they changed, as a load by hand would. The files are in the raw
 * directory before the load begins, so a killed process or a refused load loses nothing: the next fetch
 * asks the server whether they are still the newest, and loads them.
 */
import type { Connection } from "../db/connection.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { secondsSince } from "../loading/source-record.ts"
import { keepsFiles } from "../loading/stored-holders.ts"
import { hourMs, secondOf } from "../text/time.ts"
import { fetchFiles } from "./fetch-files.ts"
import { type FetchRecord, fetchRecord, recordFailedFetch, recordFetched } from "./fetch-record.ts"
import { type FetchedLoad, type FetchedLoadOptions, loadFetched } from "./load-fetched.ts"
import { withRawDirectory } from "./raw-files.ts"
import { entryHeaders, type Fetchable, withoutSecrets } from "./sources-file.ts"

export interface FetchOptions extends FetchedLoadOptions {
  userAgent: string
  environment: NodeJS.ProcessEnv
  /** By one clock for all processes that share the database. */
  now: () => Date
  /** Returns the message for an error that is no LoadError. */
  describe: (error: unknown) => string
}

export interface FetchOutcome extends Omit<FetchedLoad, "outcome"> {
  source: string
  /**
   * `failed`: the download or the load failed; `refused`: the load was refused; `not due`: the last fetch
   * was recent; `busy`: another process fetches the source.
   */
  outcome: FetchedLoad["outcome"] | "failed" | "not due" | "busy"
  /** The paths of its raw files. */
  files: string[]
}

const withoutLoad = (
  source: string,
  outcome: FetchOutcome["outcome"],
  reason: string,
): FetchOutcome => ({ source, outcome, reason, files: [], summary: null })

export async function fetchSource(
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { name, resource } = fetchable.source
  const { databaseUrl, dataDir, holderNames } = options
  const keeps = keepsFiles(holderNames, resource)
  try {
    const outcome = await withRawDirectory(
      { databaseUrl, dataDir, source: name, keeps },
      (directory, sql) => fetchIfDue(sql, fetchable, options, directory),
      (reason) => withoutLoad(name, "busy", reason),
    )
    return keeps ? outcome : { ...outcome, files: [] }
  } catch (error) {
    // Without the database there is no record of it.
    return withoutLoad(name, "failed", reasonShown(fetchable, options, error))
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
function dueAt({ attempted, fetched }: FetchRecord, everyHours: number): number {
  const after = (time: string | null, hours: number) =>
    time === null ? 0 : Date.parse(time) + hours * hourMs
  return Math.max(
    after(fetched, everyHours - leewayOf(everyHours)),
    after(attempted, Math.min(everyHours, hoursAfterFailure)),
  )
}

/** Records the fetch at its end: an interrupted one leaves the source as due as before. */
async function fetchIfDue(
  sql: Connection,
  fetchable: Fetchable,
  options: FetchOptions,
  directory: string,
): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { name } = source
  const startedAt = options.now()
  const at = secondOf(startedAt)
  const startedMs = performance.now()
  const dueMs = dueAt(await fetchRecord(sql, source), entry.every ?? defaultEveryHours)
  if (!options.force && dueMs > startedAt.getTime()) {
    const reason = `due from ${new Date(dueMs).toISOString()} on; --force fetches it now`
    return withoutLoad(name, "not due", reason)
  }
  // A failure to record the fetch must not undo the load.
  const record = (recording: Promise<void>) =>
    recording.catch((error: unknown) => {
      options.progress.warn(`Cannot record the fetch of ${name}: ${reasonOf(error)}`)
    })
  try {
    options.progress.step(`Fetching ${name}`)
    const { userAgent, environment, limits, now } = options
    const headers = entryHeaders(entry, environment)
    const access = { userAgent, headers, allowPrivate: entry.allow_private ?? false, limits }
    const files = await fetchFiles(entry, { directory, access, now })
    const loaded = await loadFetched(sql, fetchable, files, options, startedMs)
    const isLoaded = loaded.outcome === "refused" || loaded.summary !== null
    const seconds = secondsSince(startedMs)
    await record(recordFetched(sql, fetchable, files, { at, isLoaded, seconds }))
    return { ...loaded, source: name, files: files.map(({ path }) => path) }
  } catch (error) {
    const reason = reasonShown(fetchable, options, error)
    const seconds = secondsSince(startedMs)
    await record(recordFailedFetch(sql, source, { at, reason, seconds }))
    return withoutLoad(name, "failed", reason)
  }
}

const reasonShown = (
  { entry }: Fetchable,
  { environment, describe }: FetchOptions,
  error: unknown,
): string =>
  withoutSecrets(error instanceof LoadError ? error.message : describe(error), entry, environment)

/**
 * Fetches one source and loads what changed of it, as a load by hand would. Its files are in the raw
 * directory before the load begins, so a process that is killed in between, or a load that is refused,
 * loses nothing: the next fetch asks whether they are still the newest, and loads them.
 */
import { type Connection, withConnection } from "../db/connection.ts"
import {
  type FetchTimes,
  lastFetch,
  recordAttempt,
  recordFetched,
  withdrawAttempt,
} from "../loading/fetch-record.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { recordUnloaded, secondsSince } from "../loading/source-record.ts"
import { keepsFiles } from "../loading/stored-holders.ts"
import { hourMs } from "../text/durations.ts"
import { fetchEntry, instantText } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import type { FetchOptions, FetchOutcome } from "./fetch-outcome.ts"
import { fileDigests, loadFetched } from "./load-fetched.ts"
import { withRawDirectory } from "./raw-files.ts"
import { type Fetchable, headersOf, publicAddress, withoutSecrets } from "./sources-file.ts"

const withoutLoad = (
  source: string,
  outcome: FetchOutcome["outcome"],
  reason: string,
): FetchOutcome => ({ source, outcome, reason, due: null, files: [], summary: null })

export async function fetchSource(
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { name } = fetchable.source
  try {
    const outcome = await withFetchLock(options.databaseUrl, name, (sql) =>
      fetchIfDue(sql, fetchable, options),
    )
    return outcome ?? withoutLoad(name, "busy", "another process is fetching it")
  } catch (error) {
    // Nothing is recorded: the database could not be reached.
    return withoutLoad(name, "failed", reasonShown(fetchable, options, error))
  }
}

const defaultEveryHours = 24
/** A failed fetch is not repeated for so long. */
const hoursAfterFailure = 1

/**
 * How much earlier than that a completed fetch may be repeated, half an hour of a day: what is started at
 * the same time every day begins a little earlier or later, and fetches one source after the other.
 */
const leewayOf = (everyHours: number) => Math.min(everyHours, 24) / 48

/** From when on the source may be fetched, in milliseconds. */
function dueAt({ attempted, fetched }: FetchTimes, everyHours: number): number {
  const after = (time: string | null, hours: number) =>
    time === null ? 0 : Date.parse(time) + hours * hourMs
  return Math.max(
    after(fetched, everyHours - leewayOf(everyHours)),
    after(attempted, Math.min(everyHours, hoursAfterFailure)),
  )
}

async function fetchIfDue(
  sql: Connection,
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { force, progress, onAttempt, whileRunning } = options
  const startedAt = options.now()
  const startedMs = performance.now()
  const last = await lastFetch(sql, source)
  const dueMs = dueAt(last, entry.every ?? defaultEveryHours)
  if (!force && dueMs > startedAt.getTime()) {
    const due = new Date(dueMs).toISOString()
    return { ...withoutLoad(source.name, "not due", `due from ${due} on`), due }
  }
  const at = instantText(startedAt)
  await recordAttempt(sql, source, at)
  onAttempt?.(() =>
    withConnection(options.databaseUrl, (own) =>
      withdrawAttempt(own, source, { at, before: last.attempted }),
    ),
  )
  try {
    const { dataDir, holderNames } = options
    const keeps = keepsFiles(holderNames, source.resource)
    return await withRawDirectory({ dataDir, source: source.name, keeps }, async (directory) => {
      const outcome = await fetchAndLoad(sql, fetchable, options, { directory, at, startedMs })
      return keeps ? outcome : { ...outcome, files: [] }
    })
  } catch (error) {
    await whileRunning?.()
    const reason = reasonShown(fetchable, options, error)
    const seconds = secondsSince(startedMs)
    await recordUnloaded(sql, source, "failed", reason, seconds).catch((failure: unknown) => {
      progress.warn(`Cannot note that ${source.name} was not fetched: ${reasonOf(failure)}`)
    })
    return withoutLoad(source.name, "failed", reason)
  }
}

async function fetchAndLoad(
  sql: Connection,
  fetchable: Fetchable,
  options: FetchOptions,
  { directory, at, startedMs }: { directory: string; at: string; startedMs: number },
): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { userAgent, environment, limits, progress, now } = options
  progress.step(`Fetching ${source.name}`)
  const files = await fetchEntry(entry, {
    directory,
    access: {
      userAgent,
      headers: headersOf(entry, environment),
      allowPrivate: entry.allow_private ?? false,
      limits,
    },
    now,
  })
  await options.whileRunning?.()
  const loaded = await loadFetched(sql, fetchable, files, options, startedMs)
  await recordFetched(sql, source, {
    address: publicAddress(entry),
    files: fileDigests(files),
    licence: entry.licence,
    attribution: entry.attribution,
    at,
    isLoaded: loaded.outcome === "refused" || loaded.summary !== null,
    seconds: secondsSince(startedMs),
  }).catch((error: unknown) => {
    // What has been loaded stays loaded; the source is due again in an hour.
    progress.warn(`Cannot note that ${source.name} was fetched: ${reasonOf(error)}`)
  })
  return { ...loaded, source: source.name, due: null, files: files.map(({ path }) => path) }
}

const reasonShown = (
  { entry }: Fetchable,
  { environment, describe }: FetchOptions,
  error: unknown,
): string =>
  withoutSecrets(error instanceof LoadError ? error.message : describe(error), entry, environment)

/**
 * Fetches one source and loads what changed of it, as a load by hand would. Its files are in the raw
 * directory before the load begins, so a process that is killed in between, or a load that is refused,
 * loses nothing: the next fetch asks whether they are still the newest, and loads them.
 */
import { withConnection } from "../db/connection.ts"
import {
  lastFetch,
  recordAttempt,
  recordFailure,
  recordFetched,
  withdrawAttempt,
} from "../loading/fetch-record.ts"
import { reasonOf } from "../loading/file-error.ts"
import { LoadError } from "../loading/load-error.ts"
import { secondsSince } from "../loading/load-totals.ts"
import { dueAt } from "./due.ts"
import { FetchError } from "./fetch-error.ts"
import { type FetchedFile, fetchFiles, instantText } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import type { Attempt, FetchOptions, FetchOutcome } from "./fetch-outcome.ts"
import { readFetchState } from "./fetch-state.ts"
import { fileDigests, loadFetched } from "./load-fetched.ts"
import { prepareRawDirectory, pruneRawFiles, rawDirectory, storageError } from "./raw-files.ts"
import {
  defaultEveryHours,
  type Fetchable,
  headersOf,
  publicAddress,
  secretsOf,
  urlsOf,
} from "./sources-file.ts"

export async function fetchSource(
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { name } = fetchable.source
  try {
    const locked = await withFetchLock(options.databaseUrl, name, (lost) =>
      fetchAlone(fetchable, options, lost),
    )
    return locked?.value ?? withoutLoad(name, "busy", "another process is fetching it")
  } catch (error) {
    // Nothing is recorded: only who has the lock does that.
    return withoutLoad(name, "failed", reasonShown(fetchable, options, error))
  }
}

const withoutLoad = (
  source: string,
  outcome: FetchOutcome["outcome"],
  reason: string,
): FetchOutcome => ({ source, outcome, reason, due: null, files: [], summary: null })

const notDue = (source: string, due: string): FetchOutcome => ({
  ...withoutLoad(source, "not due", `due from ${due} on`),
  due,
})

/** @throws where the lock is lost, or it cannot be read when the source is due */
async function fetchAlone(
  fetchable: Fetchable,
  options: FetchOptions,
  lost: AbortSignal,
): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { databaseUrl, force, onAttempt } = options
  const startedAt = options.now()
  const attempt = { startedAt, startedMs: performance.now(), lost }
  const due = await withConnection(databaseUrl, async (sql) => {
    const last = await lastFetch(sql, source)
    const next = force ? null : dueAt(last, entry.every ?? defaultEveryHours, startedAt)
    if (next) return next
    const at = instantText(startedAt)
    await recordAttempt(sql, source, at)
    onAttempt?.(() =>
      withConnection(databaseUrl, (own) =>
        withdrawAttempt(own, source, { at, before: last.attempted }),
      ),
    )
    return null
  })
  if (due) return notDue(source.name, due.toISOString())
  try {
    return await fetchAndLoad(fetchable, options, attempt)
  } catch (error) {
    if (lost.aborted) throw lost.reason
    await options.whileRunning?.()
    return failedFetch(fetchable, options, attempt, error)
  }
}

async function fetchAndLoad(
  fetchable: Fetchable,
  options: FetchOptions,
  attempt: Attempt,
): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { databaseUrl, progress } = options
  const { startedAt, startedMs, lost } = attempt
  const files = await filesOf(fetchable, options, lost)
  await options.whileRunning?.()
  const loaded = await loadFetched(fetchable, files, options, attempt)
  await withConnection(databaseUrl, (sql) =>
    recordFetched(sql, source, {
      address: publicAddress(entry),
      files: fileDigests(files),
      licence: entry.licence,
      attribution: entry.attribution,
      at: instantText(startedAt),
      isLoaded: loaded.outcome === "refused" || loaded.summary !== null,
      seconds: secondsSince(startedMs),
    }),
  ).catch((error: unknown) => {
    // What has been loaded stays loaded; the source is due again in an hour.
    progress.warn(`Cannot note that ${source.name} was fetched: ${reasonOf(error)}`)
  })
  return { ...loaded, source: source.name, due: null, files: files.map(({ path }) => path) }
}

/** The outcome of a fetch that loaded nothing, which is recorded where the database can be reached. */
async function failedFetch(
  fetchable: Fetchable,
  options: FetchOptions,
  { startedMs }: Attempt,
  error: unknown,
): Promise<FetchOutcome> {
  const { source } = fetchable
  const { databaseUrl, progress } = options
  const reason = reasonShown(fetchable, options, error)
  const seconds = secondsSince(startedMs)
  await withConnection(databaseUrl, (sql) => recordFailure(sql, source, { reason, seconds })).catch(
    (failure: unknown) => {
      progress.warn(`Cannot note that ${source.name} was not fetched: ${reasonOf(failure)}`)
    },
  )
  return withoutLoad(source.name, "failed", reason)
}

/** A server may repeat in its error page what it was asked with. */
function reasonShown(
  { entry }: Fetchable,
  { environment, describe }: FetchOptions,
  error: unknown,
): string {
  const reason = error instanceof LoadError ? error.message : describe(error)
  return secretsOf(entry, environment).reduce(
    (text, secret) => text.replaceAll(secret, "…"),
    reason,
  )
}

/** All requests of a source end when its time is over, or its lock is lost. @throws LoadError */
async function filesOf(
  fetchable: Fetchable,
  options: FetchOptions,
  lost: AbortSignal,
): Promise<FetchedFile[]> {
  const { source, entry } = fetchable
  const { limits, userAgent, environment, progress, now } = options
  const directory = rawDirectory(options.dataDir, source.name)
  await prepareRawDirectory(directory)
  const ending = new AbortController()
  const first = new URL(urlsOf(entry)[0] ?? "")
  const access = {
    userAgent,
    headers: headersOf(entry, environment),
    redirectHosts: entry.redirect_hosts ?? [],
    allowPrivate: entry.allow_private ?? false,
    limits: entry.max_mb ? { ...limits, maxBytes: entry.max_mb * 1024 ** 2 } : limits,
    signal: AbortSignal.any([ending.signal, lost]),
  }
  const timer = setTimeout(() => {
    ending.abort(new FetchError(first, `it was not complete within ${limits.totalMs / 1000} s`))
  }, limits.totalMs)
  try {
    const state = await readFetchState(directory)
    progress.step(`Fetching ${source.name}`)
    const files = await fetchFiles(fetchable, { directory, access, now }, state)
    await pruneRawFiles(
      directory,
      options.rawFiles,
      files.map(({ path }) => path),
    )
    return files
  } catch (error) {
    throw storageError(directory, error)
  } finally {
    clearTimeout(timer)
  }
}

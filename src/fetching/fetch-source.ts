/**
 * Fetches one source and loads what changed of it, as a load by hand would. Its files are in the raw
 * directory before the load begins, so a process that is killed in between, or a load that is refused,
 * loses nothing: the next fetch asks whether they are still the newest, and loads them.
 */
import { withConnection } from "../db/connection.ts"
import { reasonOf } from "../loading/file-error.ts"
import { load } from "../loading/load.ts"
import { LoadError } from "../loading/load-error.ts"
import type { Progress } from "../loading/progress.ts"
import { recordFetched, recordRefusal, recordUnchanged } from "../loading/source-record.ts"
import type { LoadSummary } from "../loading/summary.ts"
import { FetchError } from "./fetch-error.ts"
import { type FetchedFile, fetchFiles, instantText } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import { dueAt, type FetchState, readFetchState, writeFetchState } from "./fetch-state.ts"
import type { Limits } from "./limits.ts"
import { prepareRawDirectory, pruneRawFiles, rawDirectory } from "./raw-files.ts"
import { defaultEveryHours, type Fetchable, headersOf, secretsOf, urlsOf } from "./sources-file.ts"

export interface FetchOptions {
  databaseUrl: string
  dataDir: string
  /** How many raw files of a source are kept. */
  rawFiles: number
  userAgent: string
  environment: Readonly<Record<string, string | undefined>>
  limits: Limits
  /** Fetches it although it is not due. */
  force: boolean
  absentAfterHours: number
  progress: Progress
  now: () => Date
  /** As those of a load. */
  onCommit?: () => void
  onPublished?: () => void
}

export interface FetchOutcome {
  source: string
  /**
   * `failed`: it could not be fetched; `refused`: its load was; `not due`: it has been fetched not long
   * ago; `busy`: another process fetches it.
   */
  outcome: "published" | "unchanged" | "refused" | "failed" | "not due" | "busy"
  /** Why it failed, was refused or is not due. */
  reason: string | null
  /** The paths of its raw files. */
  files: string[]
  /** Null where nothing was loaded. */
  summary: LoadSummary | null
}

/** @throws what neither the source's server nor its files are the cause of, such as a lost database */
export async function fetchSource(
  fetchable: Fetchable,
  options: FetchOptions,
): Promise<FetchOutcome> {
  const { name } = fetchable.source
  const locked = await withFetchLock(options.databaseUrl, name, () =>
    fetchAlone(fetchable, options),
  )
  return locked?.value ?? outcomeOf(name, "busy", "another process is fetching it")
}

const outcomeOf = (
  source: string,
  outcome: FetchOutcome["outcome"],
  reason: string | null = null,
  others: Partial<FetchOutcome> = {},
): FetchOutcome => ({ source, outcome, reason, files: [], summary: null, ...others })

async function fetchAlone(fetchable: Fetchable, options: FetchOptions): Promise<FetchOutcome> {
  const { source, entry } = fetchable
  const { databaseUrl, now, force } = options
  const directory = rawDirectory(options.dataDir, source.name)
  let state: FetchState
  let files: FetchedFile[]
  try {
    await prepareRawDirectory(directory)
    state = await readFetchState(directory)
    const due = force ? null : dueAt(state, entry.every ?? defaultEveryHours, now())
    if (due) return outcomeOf(source.name, "not due", `due from ${due.toISOString()} on`)
    state.attempted_at = now().toISOString()
    await writeFetchState(directory, state)
    files = await filesOf(fetchable, directory, state, options)
  } catch (error) {
    const reason = shownReason(
      error instanceof LoadError
        ? error.message
        : `Cannot store the files of ${source.name}: ${reasonOf(error)}`,
      secretsOf(entry, options.environment),
    )
    await withConnection(databaseUrl, (sql) =>
      recordRefusal(sql, source.name, source.resource.name, reason),
    )
    return outcomeOf(source.name, "failed", reason)
  }
  const paths = files.map(({ path }) => path)
  await pruneRawFiles(directory, options.rawFiles, paths)
  const outcome =
    entry.kind === "file" && (await isLoaded(fetchable, files, databaseUrl))
      ? outcomeOf(source.name, "unchanged", null, { files: paths })
      : await loadFiles(fetchable, files, options)
  await withConnection(databaseUrl, (sql) =>
    recordFetched(sql, {
      source: source.name,
      resource: source.resource.name,
      address: new URL(urlsOf(entry)[0] ?? ""),
      licence: entry.licence,
      attribution: entry.attribution,
      at: now(),
    }),
  )
  // Only now: a process that is killed during the load has not completed the fetch.
  await writeFetchState(directory, { ...state, fetched_at: now().toISOString() })
  return outcome
}

/** A server may repeat in its error page what it was asked with, and write what a terminal obeys. */
function shownReason(reason: string, secrets: readonly string[]): string {
  const withoutSecrets = secrets.reduce((text, secret) => text.replaceAll(secret, "…"), reason)
  return withoutSecrets.replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\ufffd")
}

/** All requests of a source end when its time is over. */
async function filesOf(
  fetchable: Fetchable,
  directory: string,
  state: FetchState,
  { limits, userAgent, environment, progress, now }: FetchOptions,
): Promise<FetchedFile[]> {
  const { source, entry } = fetchable
  const ending = new AbortController()
  const first = new URL(urlsOf(entry)[0] ?? "")
  const access = {
    userAgent,
    headers: headersOf(entry, environment),
    redirectHosts: entry.redirect_hosts ?? [],
    allowPrivate: entry.allow_private ?? false,
    limits: entry.max_mb ? { ...limits, maxBytes: entry.max_mb * 1024 ** 2 } : limits,
    signal: ending.signal,
  }
  const timer = setTimeout(() => {
    ending.abort(new FetchError(first, `it was not complete within ${limits.totalMs / 1000} s`))
  }, limits.totalMs)
  try {
    progress.step(`Fetching ${source.name}`)
    return await fetchFiles(fetchable, { directory, access, now }, state)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Whether exactly these bytes are what was loaded last. Of a layer they are a further observation all
 * the same, because they have just been read from the records themselves.
 */
async function isLoaded(
  { source }: Fetchable,
  files: readonly FetchedFile[],
  databaseUrl: string,
): Promise<boolean> {
  const digests = [...new Set(files.map(({ sha256 }) => sha256))].sort()
  return withConnection(databaseUrl, (sql) =>
    recordUnchanged(sql, source.name, source.resource.name, digests),
  )
}

async function loadFiles(
  { source, entry }: Fetchable,
  files: readonly FetchedFile[],
  { databaseUrl, dataDir, absentAfterHours, progress, onCommit, onPublished }: FetchOptions,
): Promise<FetchOutcome> {
  const paths = files.map(({ path }) => path)
  // Of several files the oldest counts: what it lacks has been seen to be missing no later than that.
  const oldest = new Date(Math.min(...files.map(({ observed }) => observed.getTime())))
  try {
    const summary = await load({
      url: databaseUrl,
      source,
      files: paths,
      observed: instantText(oldest),
      absentAfterHours,
      rejectsDir: `${dataDir}/rejects`,
      partial: entry.partial ?? false,
      allSectors: entry.all_sectors ?? false,
      progress,
      ...(onCommit && { onCommit }),
      ...(onPublished && { onPublished }),
    })
    const outcome = summary.release === null ? "unchanged" : "published"
    return outcomeOf(source.name, outcome, null, { files: paths, summary })
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    return outcomeOf(source.name, "refused", error.message, { files: paths })
  }
}

/**
 * Loads the files of a fetch, as by hand, or leaves them alone: those of which a load would make what it
 * has made already, and those that others have superseded, which no load would accept and which are no
 * fault of their source.
 */
import { withConnection } from "../db/connection.ts"
import { type KnownFiles, knownFiles } from "../loading/fetch-record.ts"
import { load } from "../loading/load.ts"
import { type BasisOptions, loadBasis } from "../loading/load-basis.ts"
import { LoadError } from "../loading/load-error.ts"
import { type FetchedFile, instantText } from "./fetch-files.ts"
import type { Attempt, FetchOptions, FetchOutcome } from "./fetch-outcome.ts"
import { unpackedLimit } from "./limits.ts"
import type { Fetchable } from "./sources-file.ts"

type Loaded = Pick<FetchOutcome, "outcome" | "reason" | "summary">

/** @throws what is no refusal, such as a lost database; the reason of `lost` where it fired before the load */
export async function loadFetched(
  fetchable: Fetchable,
  files: readonly FetchedFile[],
  options: FetchOptions,
  { startedMs, lost }: Pick<Attempt, "startedMs" | "lost">,
): Promise<Loaded> {
  const { source } = fetchable
  const { databaseUrl, force } = options
  const basis = await loadBasis(basisOptionsOf(fetchable, options), fileDigests(files))
  const observed = oldestObserved(files)
  const known = await withConnection(databaseUrl, (sql) =>
    knownFiles(sql, source, fileDigests(files), basis),
  )
  const isSuperseded = isSupersededBy(known, observed)
  if (isSuperseded || (!force && isLoadedAs(known, observed))) {
    const reason = `${source.name} has been loaded from newer files, of ${known.observed}`
    return { outcome: "unchanged", reason: isSuperseded ? reason : null, summary: null }
  }
  lost.throwIfAborted()
  return loadAs(fetchable, files, laterTime(known, observed), options, startedMs)
}

/** The digests of files, sorted. */
export const fileDigests = (files: readonly FetchedFile[]): string[] =>
  [...new Set(files.map(({ sha256 }) => sha256))].sort()

/** Of several files the oldest counts: what it lacks has been seen to be missing no later than that. */
const oldestObserved = (files: readonly FetchedFile[]): string =>
  instantText(new Date(Math.min(...files.map(({ observed }) => observed.getTime()))))

const isNewer = (observed: string, than: string | null): boolean => than === null || observed > than

/** The files are those of the last fetch still, and newer ones have been loaded by hand since. */
const isSupersededBy = (
  { areFetched, areLoaded, observed: last }: KnownFiles,
  observed: string,
): boolean => areFetched && !areLoaded && last !== null && isNewer(last, observed)

const isLoadedAs = (
  { areLoaded, hasSameBasis, observed: last }: KnownFiles,
  observed: string,
): boolean => areLoaded && hasSameBasis && !isNewer(observed, last)

/** Bytes that were loaded by hand for a later time are not older for being fetched. */
const laterTime = ({ areLoaded, observed: last }: KnownFiles, observed: string): string =>
  areLoaded && last !== null && isNewer(last, observed) ? last : observed

const basisOptionsOf = (
  { entry }: Fetchable,
  { absentAfterHours }: FetchOptions,
): BasisOptions => ({
  partial: entry.partial ?? false,
  allSectors: entry.all_sectors ?? false,
  absentAfterHours,
})

async function loadAs(
  fetchable: Fetchable,
  files: readonly FetchedFile[],
  observed: string,
  options: FetchOptions,
  startedMs: number,
): Promise<Loaded> {
  const { databaseUrl, dataDir, limits, progress, onCommit, onPublished } = options
  const { partial, allSectors, absentAfterHours } = basisOptionsOf(fetchable, options)
  try {
    const summary = await load({
      url: databaseUrl,
      source: fetchable.source,
      files: files.map(({ path }) => path),
      observed,
      absentAfterHours,
      rejectsDir: `${dataDir}/rejects`,
      partial,
      allSectors,
      maxUnpackedBytes: unpackedLimit(fetchable.entry, limits),
      progress,
      fetchStartedMs: startedMs,
      ...(onCommit && { onCommit }),
      ...(onPublished && { onPublished }),
    })
    const outcome = summary.release === null ? "unchanged" : "published"
    return { outcome, reason: null, summary }
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    return { outcome: "refused", reason: error.message, summary: null }
  }
}

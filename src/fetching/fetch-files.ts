/** Brings the files of a source into its raw directory, each only where its server has another version. */
import { rm } from "node:fs/promises"
import { digest } from "../text/digest.ts"
import { arcgisLayer } from "./arcgis.ts"
import { download } from "./download.ts"
import { FetchError } from "./fetch-error.ts"
import { type FileState, readFetchState, writeFetchState } from "./fetch-state.ts"
import { downloadLayer } from "./layer.ts"
import {
  extensionOf,
  intoRawDirectory,
  keepRawFile,
  keptFile,
  unfinishedPath,
} from "./raw-files.ts"
import type { Access } from "./request.ts"
import { type SourceEntry, urlsOf } from "./sources-file.ts"
import { wfsLayer } from "./wfs.ts"

export interface FetchedFile {
  path: string
  sha256: string
  /** When it was true: when it was last changed, or else when it was last sent. */
  observed: Date
}

/** Where files are kept, how servers are reached, and the time. */
export interface Place {
  directory: string
  access: Omit<Access, "signal">
  now: () => Date
}

/** Notes each file at once, so that a later failure does not fetch it again. @throws LoadError */
export const fetchEntry = (entry: SourceEntry, place: Place): Promise<FetchedFile[]> =>
  fetchAll(urlsOf(entry), place, async (url, access) => {
    if (entry.kind !== "file") return fetchLayer(url, entry, place, access)
    const state = await readFetchState(place.directory)
    const known = state.files[stateKey(url)] ?? null
    const { found, ...file } = await fetchFile(url, known, place, access)
    state.files[stateKey(url)] = found
    await writeFetchState(place.directory, state)
    return file
  })

/** Downloads files of which no version is known. @throws LoadError */
export const fetchAddresses = (urls: readonly string[], place: Place): Promise<FetchedFile[]> =>
  fetchAll(urls, place, (url, access) => fetchFile(url, null, place, access))

/** All requests end when the time of the source is over. */
async function fetchAll(
  urls: readonly string[],
  { directory, access }: Place,
  fetchOne: (url: URL, access: Access) => Promise<FetchedFile>,
): Promise<FetchedFile[]> {
  const ending = new AbortController()
  const { totalMs } = access.limits
  let current = new URL(urls[0] ?? "")
  const late = () => new FetchError(current, `it was not complete within ${totalMs / 1000} s`)
  const timer = setTimeout(() => ending.abort(late()), totalMs)
  try {
    return await intoRawDirectory(directory, async () => {
      const files: FetchedFile[] = []
      for (const url of urls) {
        current = new URL(url)
        files.push(await fetchOne(current, { ...access, signal: ending.signal }))
      }
      return files
    })
  } finally {
    clearTimeout(timer)
  }
}

async function fetchFile(
  url: URL,
  known: FileState | null,
  { directory, now }: Place,
  access: Access,
): Promise<FetchedFile & { found: FileState }> {
  const fetchedAt = now()
  const written = unfinishedPath(directory)
  // Without the file, its version is of no use.
  const kept = known && (await keptFile(directory, known.sha256))
  const conditions = known && kept ? { etag: known.etag, lastModified: known.last_modified } : null
  try {
    const downloaded = await download(url, written, access, conditions)
    if (downloaded === null && known && kept) return fetchedAs(kept, known)
    if (downloaded === null) throw new Error("A file that is not known cannot be unchanged")
    const { etag, lastModified } = downloaded
    const extension = extensionOf(url)
    const { path, sha256 } = await keepRawFile(directory, { path: written, extension, fetchedAt })
    // Bytes that are sent anew without a date are what the source says now.
    const isSame =
      known?.sha256 === sha256 && lastModified !== null && known.last_modified === lastModified
    const fetched_at = isSame ? known.fetched_at : fetchedAt.toISOString()
    return fetchedAs(path, { sha256, etag, last_modified: lastModified, fetched_at })
  } finally {
    await rm(written, { force: true })
  }
}

/** A server whose clock is wrong says nothing of when the file was true. */
function fetchedAs(path: string, found: FileState): FetchedFile & { found: FileState } {
  const fetched = new Date(found.fetched_at)
  const modified = new Date(found.last_modified ?? Number.NaN)
  return { path, sha256: found.sha256, observed: modified <= fetched ? modified : fetched, found }
}

/** A layer was true when it was begun to be read. */
async function fetchLayer(
  url: URL,
  entry: Exclude<SourceEntry, { kind: "file" }>,
  { directory, now }: Place,
  access: Access,
): Promise<FetchedFile> {
  const observed = now()
  const layer =
    entry.kind === "arcgis" ? await arcgisLayer(url, entry, access) : wfsLayer(url, entry, access)
  const written = unfinishedPath(directory)
  try {
    await downloadLayer(layer, written, access.limits)
    const kept = { path: written, extension: "json", fetchedAt: observed }
    return { ...(await keepRawFile(directory, kept)), observed }
  } finally {
    await rm(written, { force: true })
  }
}

/** When all of the files were true: when the oldest was, without milliseconds. */
export const observedTime = (files: readonly FetchedFile[]): string =>
  instantText(new Date(Math.min(...files.map(({ observed }) => observed.getTime()))))

/** A time as loads take it. */
export const instantText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z")

/** An address may hold a secret. */
const stateKey = ({ href }: URL): string => digest(href)

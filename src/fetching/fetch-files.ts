/** Brings the files of a source into its raw directory, each only where its server has another version. */

import { rm } from "node:fs/promises"
import { arcgisLayer } from "./arcgis.ts"
import { download } from "./download.ts"
import { type FetchState, type FileState, fileKey, writeFetchState } from "./fetch-state.ts"
import { downloadLayer } from "./layer.ts"
import { digestOf, extensionOf, intactFile, keepRawFile, unfinishedPath } from "./raw-files.ts"
import type { Access } from "./request.ts"
import { type Fetchable, urlsOf } from "./sources-file.ts"
import { wfsLayer } from "./wfs.ts"

export interface FetchedFile {
  path: string
  sha256: string
  /** When it was true: when it was last changed, or else when it was last sent. */
  observed: Date
}

/** Where files are kept, and the time. */
export interface Place {
  directory: string
  access: Access
  now: () => Date
}

/** Notes each file in `state` at once, so that a later failure does not fetch it again. @throws FetchError */
export async function fetchFiles(
  { entry }: Pick<Fetchable, "entry">,
  place: Place,
  state: FetchState,
): Promise<FetchedFile[]> {
  const files: FetchedFile[] = []
  for (const url of urlsOf(entry)) {
    if (entry.kind !== "file") {
      files.push(await fetchLayer(new URL(url), entry, place))
      continue
    }
    const known = state.files[fileKey(url)] ?? null
    const { path, found } = await fetchFile(new URL(url), place, known)
    state.files[fileKey(url)] = found
    await writeFetchState(place.directory, state)
    files.push({ path, sha256: found.sha256, observed: observedAt(found) })
  }
  return files
}

/** @returns the kept file, and what is known of it */
export async function fetchFile(
  url: URL,
  { directory, access, now }: Place,
  known: FileState | null,
): Promise<{ path: string; found: FileState }> {
  const fetchedAt = now()
  const unfinished = unfinishedPath(directory)
  // Without the file, its version is of no use.
  const kept = known && (await intactFile(directory, known.sha256))
  const conditions = known && kept ? { etag: known.etag, lastModified: known.last_modified } : null
  try {
    const downloaded = await download(url, unfinished, access, conditions)
    if (downloaded === null && known && kept) return { path: kept, found: known }
    if (downloaded === null) throw new Error("A file that is not known cannot be unchanged")
    const { sha256, type, etag, lastModified } = downloaded
    const extension = extensionOf(url, type)
    const path = await keepRawFile(directory, { path: unfinished, sha256, extension, fetchedAt })
    // Bytes that are sent anew without a date are what the source says now.
    const isSame =
      known?.sha256 === sha256 && lastModified !== null && known.last_modified === lastModified
    const fetched_at = isSame ? known.fetched_at : fetchedAt.toISOString()
    return { path, found: { sha256, etag, last_modified: lastModified, fetched_at } }
  } finally {
    await rm(unfinished, { force: true })
  }
}

/** A server whose clock is wrong says nothing of when the file was true. */
export function observedAt({ last_modified, fetched_at }: FileState): Date {
  const fetched = new Date(fetched_at)
  const modified = new Date(last_modified ?? Number.NaN)
  return modified <= fetched ? modified : fetched
}

/** A time as loads take it, without its milliseconds. */
export const instantText = (time: Date): string => time.toISOString().replace(/\.\d+Z$/, "Z")

async function fetchLayer(
  url: URL,
  entry: Exclude<Fetchable["entry"], { kind: "file" }>,
  { directory, access, now }: Place,
): Promise<FetchedFile> {
  const layer =
    entry.kind === "arcgis" ? await arcgisLayer(url, entry, access) : wfsLayer(url, entry, access)
  const written = unfinishedPath(directory)
  try {
    const observed = await downloadLayer(layer, written, access, now)
    const sha256 = await digestOf(written)
    const kept = { path: written, sha256, extension: "json", fetchedAt: observed }
    return { path: await keepRawFile(directory, kept), sha256, observed }
  } finally {
    await rm(written, { force: true })
  }
}

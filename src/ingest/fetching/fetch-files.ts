/**
 * Downloads the files of a source into its raw directory, each only if its server has another version. A
 * small file beside them has their versions, which mean nothing without them.
 */
import { rename } from "node:fs/promises"
import { join } from "node:path"
import { type Static, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { digest } from "../../system/text/digest.ts"
import { secondOf } from "../../system/text/time.ts"
import { arcgisLayer } from "./arcgis.ts"
import { download } from "./download.ts"
import { FetchError } from "./fetch-error.ts"
import { downloadLayer } from "./layer.ts"
import { keepRawFile, keptFile, unfinishedPath, writeRawFiles } from "./raw-files.ts"
import type { Access } from "./request.ts"
import { type ArcgisEntry, type SourceEntry, urlsOf, type WfsEntry } from "./sources-file.ts"
import { wfsLayer } from "./wfs.ts"

const nullableText = Type.Union([Type.String(), Type.Null()])
const fileState = Type.Object({
  sha256: Type.String(),
  etag: nullableText,
  lastModified: nullableText,
  /** When it was last downloaded, and not only confirmed as unchanged. */
  fetchedAt: Type.String(),
})
type FileState = Static<typeof fileState>
/** By a digest of the address, because the address may have a secret. */
const fetchState = Type.Record(Type.String(), fileState)
const stateIn = (directory: string) => join(directory, "state.json")

export interface FetchedFile {
  path: string
  sha256: string
  /** When it was true: its last change or, if unknown, its last download. */
  observed: Date
}

/** The directory of the files, the access to servers, and the clock. */
export interface Place {
  directory: string
  access: Omit<Access, "signal">
  now: () => Date
}

/** A time limit of the source ends all requests. @throws LoadError */
export function fetchFiles(entry: SourceEntry, place: Place): Promise<FetchedFile[]> {
  const { totalMs } = place.access.limits
  const signal = AbortSignal.timeout(totalMs)
  const access = { ...place.access, signal }
  return writeRawFiles(place.directory, async () => {
    const files: FetchedFile[] = []
    for (const address of urlsOf(entry)) {
      const url = new URL(address)
      const fetching =
        entry.kind === "file"
          ? fetchFile(url, place, access)
          : fetchLayer(url, entry, place, access)
      files.push(
        await fetching.catch((error: unknown) => {
          if (!signal.aborted) throw error
          throw new FetchError(url, `it was not complete within ${totalMs / 1000} s`)
        }),
      )
    }
    return files
  })
}

/** Records the version at once, so that a later failure does not download the file again. */
async function fetchFile(
  url: URL,
  { directory, now }: Place,
  access: Access,
): Promise<FetchedFile> {
  const state = await readState(directory)
  const key = digest(url.href)
  const known = state[key]
  const kept = known && (await keptFile(directory, known.sha256))
  const fetchedAt = now()
  const written = unfinishedPath(directory)
  // A version without its file is of no use.
  const validators = await download(url, written, access, kept ? known : undefined)
  if (known && kept && validators === known) return fetchedAs(kept, known)
  const { path, sha256 } = await keepRawFile(written, directory, {
    extension: extensionOf(url),
    fetchedAt,
  })
  const { etag, lastModified } = validators
  const found = { sha256, etag, lastModified, fetchedAt: fetchedAt.toISOString() }
  const changed = unfinishedPath(directory)
  await Bun.write(changed, `${JSON.stringify({ ...state, [key]: found }, null, 2)}\n`)
  await rename(changed, stateIn(directory))
  return fetchedAs(path, found)
}

/** A missing or damaged state means that all files are downloaded. */
async function readState(directory: string): Promise<Static<typeof fetchState>> {
  const value: unknown = await Bun.file(stateIn(directory))
    .json()
    .catch(() => null)
  return Value.Check(fetchState, value) ? value : {}
}

/** Ignores a last change in the future, from a server with a wrong clock. */
function fetchedAs(path: string, { sha256, lastModified, fetchedAt }: FileState): FetchedFile {
  const fetched = new Date(fetchedAt)
  const modified = new Date(lastModified ?? Number.NaN)
  return { path, sha256, observed: modified <= fetched ? modified : fetched }
}

/** The time of a layer is the beginning of its download. */
async function fetchLayer(
  url: URL,
  entry: ArcgisEntry | WfsEntry,
  { directory, now }: Place,
  access: Access,
): Promise<FetchedFile> {
  const observed = now()
  const layer =
    entry.kind === "arcgis" ? await arcgisLayer(url, entry, access) : wfsLayer(url, entry)
  const written = unfinishedPath(directory)
  await downloadLayer(layer, written, access)
  const kept = { extension: "json", fetchedAt: observed }
  return { ...(await keepRawFile(written, directory, kept)), observed }
}

/** The extension in the address, for people: loads recognise files by their content. */
const extensionOf = ({ pathname }: URL): string =>
  /\.([a-z0-9]{1,8})$/.exec(pathname.toLowerCase())?.[1] ?? "data"

/** When all of the files were true: when the oldest was, without milliseconds. */
export const oldestObserved = (files: readonly FetchedFile[]): string =>
  secondOf(new Date(Math.min(...files.map(({ observed }) => observed.getTime()))))

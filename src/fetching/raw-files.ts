/**
 * Keeps the files that were fetched as they came, `DATA_DIR/raw/SOURCE/TIME-SHA256.EXTENSION`, so that a
 * release can be traced to its bytes, whose digests it names, and loaded again. A file appears there
 * whole, or not at all.
 */
import { access, constants, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { extname, join } from "node:path"
import { reasonOf } from "../loading/file-error.ts"
import { fileTime } from "../loading/file-time.ts"
import { LoadError } from "../loading/load-error.ts"
import { codeOf } from "../text/error-code.ts"

export const rawDirectory = (dataDir: string, source: string): string =>
  join(dataDir, "raw", source)

const rawName = /^\d{8}T\d{6}Z-([0-9a-f]{64})\./
const unfinished = ".unfinished-"

/**
 * Makes the directory, and clears what a killed process has left in it. The caller holds the lock.
 * @throws LoadError where nothing can be written there
 */
export async function prepareRawDirectory(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true })
    await access(directory, constants.W_OK)
    for (const name of await readdir(directory)) {
      if (name.startsWith(unfinished)) await rm(join(directory, name), { force: true })
    }
  } catch (error) {
    throw storageError(directory, error)
  }
}

/** A failure of the file system as a LoadError that names the directory; any other error as it is. */
export function storageError(directory: string, error: unknown): unknown {
  if (error instanceof LoadError || !/^E[A-Z]+$/.test(codeOf(error))) return error
  // All directories above have just been made.
  const reason =
    codeOf(error) === "ENOENT" ? "a symbolic link in its path leads nowhere" : reasonOf(error)
  return new LoadError(`Cannot store files in ${directory}: ${reason}`)
}

/** Where a file is written before it is whole. */
export const unfinishedPath = (directory: string): string =>
  join(directory, unfinished + crypto.randomUUID())

/** The names of the kept files, the newest first. */
async function keptNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return []
    throw error
  })
  return names
    .filter((name) => rawName.test(name))
    .sort()
    .reverse()
}

/** The kept file of that digest; null where it is not kept, or not any more. */
export async function keptFile(directory: string, sha256: string): Promise<string | null> {
  const names = await keptNames(directory)
  const name = names.find((each) => rawName.exec(each)?.[1] === sha256)
  return name === undefined ? null : join(directory, name)
}

/**
 * The kept file of that digest whose bytes still have it. One that a crash of the machine has damaged is
 * deleted, so that it is downloaded again.
 */
export async function intactFile(directory: string, sha256: string): Promise<string | null> {
  const path = await keptFile(directory, sha256)
  if (path === null || (await digestOf(path)) === sha256) return path
  await rm(path)
  return null
}

/** SHA-256 of a file, in hexadecimal. */
export async function digestOf(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest("hex")
}

/** Keeps a whole file, unless the same one is kept. @returns its path */
export async function keepRawFile(
  directory: string,
  written: { path: string; sha256: string; extension: string; fetchedAt: Date },
): Promise<string> {
  const { path, sha256, extension, fetchedAt } = written
  const same = await intactFile(directory, sha256)
  if (same !== null) {
    await rm(path)
    return same
  }
  const kept = join(directory, `${fileTime(fetchedAt)}-${sha256}.${extension}`)
  const file = await open(path)
  await file.sync().finally(() => file.close())
  await rename(path, kept)
  return kept
}

/** Deletes all but the newest files and those that are still needed. */
export async function pruneRawFiles(
  directory: string,
  keep: number,
  needed: readonly string[],
): Promise<void> {
  for (const name of (await keptNames(directory)).slice(keep)) {
    const path = join(directory, name)
    if (!needed.includes(path)) await rm(path, { force: true })
  }
}

const extensions: Readonly<Record<string, string>> = {
  "text/csv": "csv",
  "application/json": "json",
  "application/geo+json": "geojson",
  "application/zip": "zip",
  "application/gzip": "gz",
}

/** Of a file, by its address or its media type. It is for people: files are recognised by content. */
export function extensionOf(url: URL, type: string): string {
  const [, named] = /^\.([a-z0-9]{1,8})$/.exec(extname(url.pathname).toLowerCase()) ?? []
  return named ?? extensions[type] ?? "data"
}

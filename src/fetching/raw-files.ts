/**
 * Keeps the files that were fetched as they came, `DATA_DIR/raw/SOURCE/TIME-SHA256.EXTENSION`, so that a
 * release can be traced to its bytes, whose digests it names, and loaded again. A file appears there
 * whole, or not at all.
 */
import { access, constants, mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { fileDigest, fileTime } from "../loading/file-names.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { codeOf } from "../text/error-code.ts"

/** How many files of a source are kept: a month of daily fetches. */
const keptFiles = 30

export const rawDirectory = (dataDir: string, source: string): string =>
  join(dataDir, "raw", source)

/**
 * Runs `work` with the raw directory of a source.
 * @param keeps whether its files are kept afterwards
 */
export async function withRawDirectory<T>(
  { dataDir, source, keeps }: { dataDir: string; source: string; keeps: boolean },
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const directory = rawDirectory(dataDir, source)
  try {
    return await work(directory)
  } finally {
    if (!keeps) await rm(directory, { recursive: true, force: true })
  }
}

const rawName = /^\d{8}T\d{6}Z-([0-9a-f]{64})\./
const unfinished = ".unfinished-"

/** Where a file is written before it is whole. */
export const unfinishedPath = (directory: string): string =>
  join(directory, unfinished + crypto.randomUUID())

/**
 * Makes the directory, clears what a killed process has left in it, and runs `work`, whose files are kept
 * with the newest others. The caller holds the lock.
 * @throws LoadError where nothing can be written there
 */
export async function intoRawDirectory<File extends { path: string }>(
  directory: string,
  work: () => Promise<File[]>,
): Promise<File[]> {
  try {
    await mkdir(directory, { recursive: true })
    await access(directory, constants.W_OK)
    for (const name of await readdir(directory)) {
      if (name.startsWith(unfinished)) await rm(join(directory, name), { force: true })
    }
    const files = await work()
    for (const name of (await keptNames(directory)).slice(keptFiles)) {
      const path = join(directory, name)
      if (!files.some((file) => file.path === path)) await rm(path, { force: true })
    }
    return files
  } catch (error) {
    if (error instanceof LoadError || !/^E[A-Z]+$/.test(codeOf(error))) throw error
    // All directories above have just been made.
    const reason =
      codeOf(error) === "ENOENT" ? "a symbolic link in its path leads nowhere" : reasonOf(error)
    throw new LoadError(`Cannot store files in ${directory}: ${reason}`)
  }
}

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

/** Keeps a whole file, unless the same one is kept. */
export async function keepRawFile(
  directory: string,
  { path, extension, fetchedAt }: { path: string; extension: string; fetchedAt: Date },
): Promise<{ path: string; sha256: string }> {
  const sha256 = await fileDigest(path)
  const same = await keptFile(directory, sha256)
  if (same !== null) {
    await rm(path)
    return { path: same, sha256 }
  }
  const kept = join(directory, `${fileTime(fetchedAt)}-${sha256}.${extension}`)
  const file = await open(path)
  await file.sync().finally(() => file.close())
  await rename(path, kept)
  return { path: kept, sha256 }
}

/** By its address. It is for people: files are recognised by their content. */
export const extensionOf = ({ pathname }: URL): string =>
  /\.([a-z0-9]{1,8})$/.exec(pathname.toLowerCase())?.[1] ?? "data"

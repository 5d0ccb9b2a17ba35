/**
 * Keeps fetched files unchanged, as `DATA_DIR/raw/SOURCE/TIME-SHA256.EXTENSION`, so that an operator can
 * trace a release to its bytes by their digests, and load them again. A file appears there whole, or not at
 * all.
 */
import { mkdir, open, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { type Connection, withConnection } from "../../data/db/connection.ts"
import { codeOf } from "../../system/text/error-code.ts"
import { fileDigest, fileTime } from "../loading/file-names.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"

/** How many files of a source are kept: a month of daily fetches. */
const keptFiles = 30

export const rawDirectory = (dataDir: string, source: string): string =>
  join(dataDir, "raw", source)

/** The first key of the advisory locks; the second is a hash of the source's name. */
const fetchingLocks = 714_023_301

export interface RawFiles {
  databaseUrl: string
  dataDir: string
  /** The name of the source. */
  source: string
  /** Whether to keep its files afterwards. */
  keeps: boolean
}

/**
 * Runs `work` in the raw directory of a source while no other process fetches the source. The lock ends
 * with its connection, which `work` may use. Should that be lost, another fetch may begin: both load the
 * same files, and the second load publishes nothing.
 * @param busy called instead of `work` where another process has the lock
 */
export const withRawDirectory = <T>(
  { databaseUrl, dataDir, source, keeps }: RawFiles,
  work: (directory: string, sql: Connection) => Promise<T>,
  busy: (reason: string) => T,
): Promise<T> =>
  withConnection(databaseUrl, async (sql) => {
    const [row] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${fetchingLocks}, hashtext(${source})) as taken`
    if (!row?.taken) return busy("another process is fetching it")
    const directory = rawDirectory(dataDir, source)
    try {
      return await work(directory, sql)
    } finally {
      if (!keeps) await rm(directory, { recursive: true, force: true })
    }
  })

const rawName = /^\d{8}T\d{6}Z-([0-9a-f]{64})\./
const unfinished = ".unfinished-"

/** The path of a file that is being written. */
export const unfinishedPath = (directory: string): string =>
  join(directory, unfinished + crypto.randomUUID())

/**
 * Creates the directory and runs `work`, whose files remain with the newest others. Deletes unfinished files
 * of killed processes and failures. The caller has the lock.
 * @throws LoadError where the directory is not writable
 */
export async function writeRawFiles<File extends { path: string }>(
  directory: string,
  work: () => Promise<File[]>,
): Promise<File[]> {
  try {
    await mkdir(directory, { recursive: true })
    const files = await work().finally(() => clear(directory))
    for (const name of (await keptNames(directory)).slice(keptFiles)) {
      const path = join(directory, name)
      if (!files.some((file) => file.path === path)) await rm(path, { force: true })
    }
    return files
  } catch (error) {
    if (error instanceof LoadError || !/^E[A-Z]+$/.test(codeOf(error))) throw error
    throw new LoadError(`Cannot store files in ${directory}: ${reasonOf(error)}`)
  }
}

async function clear(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (name.startsWith(unfinished)) await rm(join(directory, name), { force: true })
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

/** The path of the kept file of that digest, or null. */
export async function keptFile(directory: string, sha256: string): Promise<string | null> {
  const names = await keptNames(directory)
  const name = names.find((each) => rawName.exec(each)?.[1] === sha256)
  return name === undefined ? null : join(directory, name)
}

/** Keeps a whole file, unless the directory has the same one. */
export async function keepRawFile(
  written: string,
  directory: string,
  { extension, fetchedAt }: { extension: string; fetchedAt: Date },
): Promise<{ path: string; sha256: string }> {
  const sha256 = await fileDigest(written)
  const same = await keptFile(directory, sha256)
  if (same !== null) return { path: same, sha256 }
  const path = join(directory, `${fileTime(fetchedAt)}-${sha256}.${extension}`)
  const file = await open(written)
  await file.sync().finally(() => file.close())
  await rename(written, path)
  return { path, sha256 }
}

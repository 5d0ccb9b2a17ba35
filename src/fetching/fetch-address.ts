/** An address given in place of a file: its file is kept and loaded as one that is fetched. */
import type { Connection } from "../db/connection.ts"
import { recordAddress } from "../loading/fetch-record.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import type { Progress } from "../loading/progress.ts"
import type { Source } from "../sources/source.ts"
import { shownAddress } from "./fetch-error.ts"
import { fetchAddresses, observedTime } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import type { Limits } from "./limits.ts"
import { withRawDirectory } from "./raw-files.ts"
import { publicOrigin, urlFault } from "./sources-file.ts"

export interface AddressOptions {
  databaseUrl: string
  dataDir: string
  source: Source
  userAgent: () => Promise<string>
  /** Connects to private networks and this machine too. */
  allowPrivate: boolean
  /** Where the files are all of the source's, as they are today, their address is its own. */
  notesAddress: boolean
  /** Whether downloaded files are kept once they are loaded. */
  keeps: boolean
  limits: Limits
  progress: Progress
  /** What tells the time. */
  clock: () => Promise<() => Date>
}

export interface GivenFiles {
  /** Paths, in the order in which they were given. */
  files: readonly string[]
  /** When the oldest of the downloaded ones was true. */
  observed?: string
  /** What each may unpack to; without limit where all are the operator's own. */
  maxUnpackedBytes?: number
  /** When the first download began, by `performance.now()`. */
  fetchStartedMs?: number
}

/**
 * Downloads those of the files that are addresses and runs `load` with all of them, while no other
 * process fetches the source.
 * @throws LoadError
 */
export async function withAddresses<T>(
  files: readonly string[],
  options: AddressOptions,
  load: (given: GivenFiles) => Promise<T>,
): Promise<T> {
  const addresses = files.filter(isAddress)
  if (addresses.length === 0) return load({ files })
  const { databaseUrl, source, dataDir, keeps } = options
  const locked = await withFetchLock(databaseUrl, source.name, async (sql) => {
    const value = await withRawDirectory(
      { dataDir, source: source.name, keeps },
      async (directory) => load(await fetched(files, addresses, directory, options)),
    )
    if (options.notesAddress) await noteAddress(sql, addresses, options)
    return { value }
  })
  if (locked !== null) return locked.value
  throw new LoadError(`Cannot fetch files of ${source.name}: another process is fetching it`)
}

const isAddress = (file: string): boolean => /^https?:\/\//i.test(file)

async function fetched(
  files: readonly string[],
  addresses: readonly string[],
  directory: string,
  options: AddressOptions,
): Promise<GivenFiles> {
  const { allowPrivate, limits, progress } = options
  const fetchStartedMs = performance.now()
  const fault = addresses.map(urlFault).find((each) => each !== undefined)
  if (fault !== undefined) throw new LoadError(`Cannot fetch an address: it ${fault}`)
  for (const address of addresses) progress.step(`Fetching ${shownAddress(new URL(address))}`)
  const downloaded = await fetchAddresses(addresses, {
    directory,
    access: { userAgent: await options.userAgent(), headers: {}, allowPrivate, limits },
    now: await options.clock(),
  })
  const paths = downloaded.map(({ path }) => path)
  return {
    files: files.map((file) => (isAddress(file) ? (paths.shift() ?? file) : file)),
    observed: observedTime(downloaded),
    maxUnpackedBytes: limits.maxUnpackedBytes,
    fetchStartedMs,
  }
}

/** What has been loaded stays loaded. */
async function noteAddress(
  sql: Connection,
  addresses: readonly string[],
  { source, allowPrivate, progress }: AddressOptions,
): Promise<void> {
  const address = publicOrigin(addresses, allowPrivate)
  if (address === null) return
  await recordAddress(sql, source, address).catch((error: unknown) => {
    progress.warn(`Cannot note where ${source.name} was fetched from: ${reasonOf(error)}`)
  })
}

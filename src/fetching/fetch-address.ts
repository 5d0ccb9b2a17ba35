/** An address given in place of a file: its file is kept and loaded as one that is fetched. */
import { withConnection } from "../db/connection.ts"
import { recordAddress } from "../loading/fetch-record.ts"
import { reasonOf } from "../loading/file-error.ts"
import { LoadError } from "../loading/load-error.ts"
import type { Progress } from "../loading/progress.ts"
import type { Source } from "../sources/source.ts"
import { FetchError, shownAddress } from "./fetch-error.ts"
import { fetchFile, instantText, observedAt } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import type { Limits } from "./limits.ts"
import { prepareRawDirectory, pruneRawFiles, rawDirectory, storageError } from "./raw-files.ts"
import { publicOrigin, urlFault } from "./sources-file.ts"

export interface AddressOptions {
  databaseUrl: string
  dataDir: string
  /** How many raw files of the source are kept. */
  rawFiles: number
  source: Source
  userAgent: () => Promise<string>
  /** Connects to private networks and this machine too. */
  allowPrivate: boolean
  /** Where the files are all of the source's, as they are today, their address is its own. */
  notesAddress: boolean
  limits: Limits
  progress: Progress
  /** What tells the time. */
  clock: () => Promise<() => Date>
}

/** Whether what is given as a file is an address. */
const isAddress = (file: string): boolean => /^https?:\/\//i.test(file)

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
  const { databaseUrl, source } = options
  const locked = await withFetchLock(databaseUrl, source.name, async (lost) => {
    const given = await fetchAll(files, options, lost)
    lost.throwIfAborted()
    const loaded = await load(given)
    if (options.notesAddress) await noteAddress(addresses, options)
    return loaded
  })
  if (locked !== null) return locked.value
  throw new LoadError(`Cannot fetch files of ${source.name}: another process is fetching it`)
}

/** What has been loaded stays loaded. */
async function noteAddress(
  addresses: readonly string[],
  { databaseUrl, source, allowPrivate, progress }: AddressOptions,
): Promise<void> {
  const address = publicOrigin(addresses, allowPrivate)
  if (address === null) return
  await withConnection(databaseUrl, (sql) => recordAddress(sql, source, address)).catch(
    (error: unknown) => {
      progress.warn(`Cannot note where ${source.name} was fetched from: ${reasonOf(error)}`)
    },
  )
}

async function fetchAll(
  files: readonly string[],
  options: AddressOptions,
  lost: AbortSignal,
): Promise<GivenFiles> {
  const { allowPrivate, limits, progress } = options
  const fetchStartedMs = performance.now()
  const now = await options.clock()
  const directory = rawDirectory(options.dataDir, options.source.name)
  await prepareRawDirectory(directory)
  const ending = new AbortController()
  const access = {
    userAgent: await options.userAgent(),
    headers: {},
    redirectHosts: [],
    allowPrivate,
    limits,
    signal: AbortSignal.any([ending.signal, lost]),
  }
  const paths: string[] = []
  const observed: number[] = []
  for (const file of files) {
    if (!isAddress(file)) {
      paths.push(file)
      continue
    }
    const url = addressOf(file)
    const late = () => ending.abort(new FetchError(url, "it took too long"))
    const timer = setTimeout(late, limits.totalMs)
    try {
      progress.step(`Fetching ${shownAddress(url)}`)
      const { path, found } = await fetchFile(url, { directory, access, now }, null)
      paths.push(path)
      observed.push(observedAt(found).getTime())
    } catch (error) {
      throw storageError(directory, error)
    } finally {
      clearTimeout(timer)
    }
  }
  await pruneRawFiles(directory, options.rawFiles, paths)
  return {
    files: paths,
    observed: instantText(new Date(Math.min(...observed))),
    maxUnpackedBytes: limits.maxUnpackedBytes,
    fetchStartedMs,
  }
}

function addressOf(file: string): URL {
  const fault = urlFault(file)
  if (fault) throw new LoadError(`Cannot fetch an address: it ${fault}`)
  return new URL(file)
}

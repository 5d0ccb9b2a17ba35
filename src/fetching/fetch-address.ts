/** An address given in place of a file: its file is kept and loaded as one that is fetched. */
import { LoadError } from "../loading/load-error.ts"
import type { Progress } from "../loading/progress.ts"
import { FetchError, shownAddress } from "./fetch-error.ts"
import { fetchFile, observedOf } from "./fetch-files.ts"
import { withFetchLock } from "./fetch-lock.ts"
import type { Limits } from "./limits.ts"
import { prepareRawDirectory, pruneRawFiles, rawDirectory } from "./raw-files.ts"
import { urlFault } from "./sources-file.ts"

export interface AddressOptions {
  databaseUrl: string
  dataDir: string
  /** How many raw files of the source are kept. */
  rawFiles: number
  source: string
  userAgent: string
  /** Connects to private networks and this machine too. */
  allowPrivate: boolean
  limits: Limits
  progress: Progress
  now: () => Date
}

/** Whether what is given as a file is an address. */
export const isAddress = (file: string): boolean => /^https?:\/\//i.test(file)

/**
 * Downloads those of the files that are addresses.
 * @returns all of them as paths, and when the oldest of the downloaded ones was true, if their servers say so
 * @throws LoadError
 */
export async function fetchAddresses(
  files: readonly string[],
  options: AddressOptions,
): Promise<{ paths: string[]; observed: Date | null }> {
  const { databaseUrl, source } = options
  const locked = await withFetchLock(databaseUrl, source, () => fetchAll(files, options))
  if (locked !== null) return locked.value
  throw new LoadError(`Cannot fetch files of ${source}: another process is fetching it`)
}

async function fetchAll(files: readonly string[], options: AddressOptions) {
  const { userAgent, allowPrivate, limits, progress, now } = options
  const directory = rawDirectory(options.dataDir, options.source)
  await prepareRawDirectory(directory)
  const ending = new AbortController()
  const access = {
    userAgent,
    headers: {},
    redirectHosts: [],
    allowPrivate,
    limits,
    signal: ending.signal,
  }
  const paths: string[] = []
  const observed: (Date | null)[] = []
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
      observed.push(found.last_modified === null ? null : observedOf(found))
    } finally {
      clearTimeout(timer)
    }
  }
  await pruneRawFiles(directory, options.rawFiles, paths)
  return { paths, observed: oldestOf(observed) }
}

/** Null where one of them is not known: then the same bytes, fetched again, are no further observation. */
function oldestOf(times: readonly (Date | null)[]): Date | null {
  const known = times.flatMap((time) => (time === null ? [] : [time.getTime()]))
  return known.length === 0 || known.length < times.length ? null : new Date(Math.min(...known))
}

function addressOf(file: string): URL {
  const fault = urlFault(file)
  if (fault) throw new LoadError(`Cannot fetch an address: it ${fault}`)
  return new URL(file)
}

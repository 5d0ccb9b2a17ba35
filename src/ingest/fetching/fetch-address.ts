/** Addresses in place of files: downloads, keeps and loads their files as those of a source. */
import { LoadError } from "../loading/load-error.ts"
import type { LoadOptions } from "../loading/load-options.ts"
import type { Progress } from "../loading/progress.ts"
import { shownAddress } from "./fetch-error.ts"
import { fetchFiles, oldestObserved } from "./fetch-files.ts"
import type { Limits } from "./limits.ts"
import { type RawFiles, withRawDirectory } from "./raw-files.ts"
import { isAddress } from "./sources-file.ts"

interface AddressOptions extends RawFiles {
  userAgent: string
  limits: Limits
  progress: Progress
  /** Makes the clock. */
  clock: () => Promise<() => Date>
}

const isFetched = (file: string): boolean => /^https?:\/\//i.test(file)

/**
 * Downloads those of the files that are addresses and runs `load` with all of them, in the given order, while no
 * other process fetches the source.
 * @throws LoadError
 */
export async function withAddresses<T>(
  files: readonly string[],
  options: AddressOptions,
  load: (
    given: Pick<LoadOptions, "files" | "observed" | "maxUnpackedBytes" | "startedMs">,
  ) => Promise<T>,
): Promise<T> {
  const url = files.filter(isFetched)
  if (url.length === 0) return load({ files })
  const startedMs = performance.now()
  const { source, limits, progress } = options
  for (const address of url) {
    if (!isAddress(address)) throw new LoadError("Cannot fetch an address with a user or password")
    progress.step(`Fetching ${shownAddress(new URL(address))}`)
  }
  const fetchAndLoad = async (directory: string) => {
    const access = { userAgent: options.userAgent, headers: {}, limits }
    const now = await options.clock()
    const fetched = await fetchFiles({ kind: "file", url }, { directory, access, now })
    const paths = fetched.map(({ path }) => path)
    return load({
      files: files.map((file) => (isFetched(file) ? (paths.shift() ?? file) : file)),
      observed: oldestObserved(fetched),
      maxUnpackedBytes: limits.maxUnpackedBytes,
      startedMs,
    })
  }
  return withRawDirectory(options, fetchAndLoad, (reason) => {
    throw new LoadError(`Cannot fetch files of ${source}: ${reason}`)
  })
}

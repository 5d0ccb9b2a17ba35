/** The entry point of loading: one load is one release, or none. */
import { checkAcceptEmpty } from "./emptied.ts"
import { LoadError } from "./load-error.ts"
import type { LoadOptions } from "./load-options.ts"
import { MissingNotes } from "./missing-notes.ts"
import { observedOf } from "./observation.ts"
import { silent } from "./progress.ts"
import { publish } from "./publish.ts"
import { checkReadable } from "./reading/input.ts"
import { Rejects } from "./rejects.ts"
import { secondsSince } from "./source-record.ts"
import { keepsFiles } from "./stored-holders.ts"
import type { LoadSummary } from "./summary.ts"

const defaultAbsentAfterHours = 48

/**
 * @throws LoadError where the load is refused; nothing is published then.
 * @throws OutcomeUnknown where the connection is lost during the commit.
 */
export async function load({ files: paths, ...options }: LoadOptions): Promise<LoadSummary> {
  const { source, partial = false, allSectors = false, acceptEmpty = [] } = options
  const { holderNames = "all", progress = silent, rejectsDir } = options
  checkFiles(paths)
  if (rejectsDir !== undefined && !keepsFiles(holderNames, source.resource)) {
    throw new LoadError(
      "Cannot write rejected rows to a file: HOLDER_NAMES=companies keeps none that may name persons",
    )
  }
  checkAcceptEmpty(source.resource, acceptEmpty)
  if (options.removeMissingNow && (partial || !source.complete)) {
    throw new LoadError(
      "Cannot remove missing records: a load of this source, or with --partial, only adds and changes records",
    )
  }
  const observed = options.observed === undefined ? undefined : observedOf(options.observed)
  // Before the database is touched: an unreadable file records nothing.
  for (const path of paths) await checkReadable(path)
  const startedMs = performance.now()
  const rejects = new Rejects({
    directory: rejectsDir ?? null,
    source: source.name,
    warn: progress.warn,
    max: options.maxRejects,
  })
  try {
    const published = await publish({
      ...options,
      ...{ paths, partial, allSectors, acceptEmpty, holderNames, progress, observed, rejects },
      absentAfterHours: options.absentAfterHours ?? defaultAbsentAfterHours,
      startedMs: options.fetchStartedMs ?? startedMs,
      files: [],
      rejectedKeys: [],
      noted: new MissingNotes(source),
    })
    return {
      source: source.name,
      dryRun: options.dryRun === true,
      ...published,
      ...rejects.written,
      seconds: secondsSince(startedMs),
    }
  } finally {
    for (const text of rejects.frequentReasons()) progress.warn(text)
    progress.stop()
  }
}

function checkFiles(paths: readonly string[]): void {
  if (paths.length === 0) throw new LoadError("Cannot load: no files were given")
  if (paths.filter((path) => path === "-").length > 1) {
    throw new LoadError("Cannot read standard input twice: give - only once")
  }
}

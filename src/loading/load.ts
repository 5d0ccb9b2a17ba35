/** The entry points of loading: one load is one release, or none. */
import { resources } from "../resources/catalogue.ts"
import type { ResourceName } from "../resources/resource.ts"
import type { Source } from "../sources/source.ts"
import type { HolderNames } from "../text/holder-names.ts"
import type { Part } from "./apply-part.ts"
import { type Collected, candidatesOfFiles, candidatesOfRecords } from "./candidates.ts"
import { checkAcceptEmpty } from "./emptied.ts"
import { LoadError } from "./load-error.ts"
import { observedOf } from "./observation.ts"
import { type Progress, silent } from "./progress.ts"
import { type Load, type PublishOptions, publish } from "./publish.ts"
import { checkReadable } from "./reading/input.ts"
import { Rejects } from "./rejects.ts"
import { secondsSince } from "./source-record.ts"
import { keepsFiles } from "./stored-holders.ts"
import type { LoadSummary } from "./summary.ts"

interface CommonOptions extends PublishOptions {
  /** How long a record must have been missing before it goes; 48 by default. */
  absentAfterHours?: number
  /**
   * The directory for the file of rejected rows, if there are any; created when needed. If it
   * cannot be written, or is not given, the first rejected rows are warnings.
   */
  rejectsDir?: string
  /** How many rejected rows are allowed; see `Rejects`. */
  maxRejects?: number
  /** Which holders are stored by their names; all by default. */
  holderNames?: HolderNames
  progress?: Progress
  /** When the fetch of its files began, by `performance.now()`: that time counts too in the metrics. */
  fetchStartedMs?: number
}

export interface LoadOptions extends CommonOptions {
  source: Source
  /** Paths; `-` is standard input. Together they are the source's complete set. */
  files: readonly string[]
  /** Loads companies of every sector, where the source would leave some out. */
  allSectors?: boolean
  /** How much one file may unpack to; unlimited by default, since a local file is the operator's own. */
  maxUnpackedBytes?: number
  /** Adds and changes only, although the source's files are its complete set. */
  partial?: boolean
}

/**
 * @throws LoadError where the load is refused; nothing is published then.
 * @throws OutcomeUnknown where the connection is lost during the commit.
 */
export async function load(options: LoadOptions): Promise<LoadSummary> {
  const { source, files, allSectors = false, partial = false, maxUnpackedBytes } = options
  const complete = source.complete && !partial
  if (files.length === 0) throw new LoadError("Cannot load: no files were given")
  if (files.filter((file) => file === "-").length > 1) {
    throw new LoadError("Cannot read standard input twice: give - only once")
  }
  if (
    options.rejectsDir !== undefined &&
    !keepsFiles(options.holderNames ?? "all", source.resource)
  ) {
    throw new LoadError(
      "Cannot write rejected rows to a file: HOLDER_NAMES=companies keeps none that may name persons",
    )
  }
  checkAcceptEmpty(source.resource, options.acceptEmpty ?? [])
  if (options.removeMissingNow && !complete) {
    throw new LoadError("Cannot remove what is missing: such a load only adds and changes records")
  }
  // Of a file that cannot be opened, nothing is recorded.
  for (const file of files) await checkReadable(file)
  const basisOptions = { partial, allSectors }
  return run({ ...options, basisOptions }, source.name, (collected) => [
    {
      ...source,
      candidates: candidatesOfFiles(source, files, { allSectors, maxUnpackedBytes }, collected),
      complete,
    },
  ])
}

export interface LoadRecordsOptions extends CommonOptions {
  /** The name of the source that will own the records. */
  source: string
  /**
   * By resource, each the source's complete set. A resource that is not given is left unchanged.
   */
  records: Partial<Record<ResourceName, Iterable<object> | AsyncIterable<object>>>
}

/**
 * Loads records of one or more resources, made by a program, as one release. No command does: it
 * loads the sample data of `bun run quickstart` and of the tests.
 */
export function loadRecords(options: LoadRecordsOptions): Promise<LoadSummary> {
  const { source, records } = options
  return run({ ...options, basisOptions: null }, source, (collected) =>
    resources.flatMap((resource): Part[] => {
      const given = records[resource.name]
      if (!given) return []
      const candidates = candidatesOfRecords(resource, given, collected)
      return [
        { resource, candidates, complete: true, whenMissing: "remove", missingGoAtOnce: true },
      ]
    }),
  )
}

const defaultAbsentAfterHours = 48

async function run(
  options: CommonOptions & Pick<Load, "basisOptions">,
  source: string,
  partsOf: (collected: Collected) => Part[],
): Promise<LoadSummary> {
  const { rejectsDir = null, maxRejects, progress = silent } = options
  const observed = options.observed === undefined ? undefined : observedOf(options.observed)
  const startedMs = performance.now()
  const rejects = new Rejects({
    directory: rejectsDir,
    source,
    warn: progress.warn,
    ...(maxRejects === undefined ? {} : { max: maxRejects }),
  })
  const collected: Collected = {
    files: [],
    rejects,
    rejectedKeys: new Map(),
    noted: new Map(),
    storeHolders: null,
    progress,
  }
  const parts = partsOf(collected)
  try {
    const published = await publish({
      ...options,
      source,
      parts,
      collected,
      observed,
      absentAfterHours: options.absentAfterHours ?? defaultAbsentAfterHours,
      holderNames: options.holderNames ?? "all",
      startedMs: options.fetchStartedMs ?? startedMs,
    })
    const { path: rejectsFile, rows: rejectsRows, lost: rejectsLost } = rejects.written
    return {
      source,
      dryRun: options.dryRun === true,
      files: collected.files,
      ...published,
      rejectsFile,
      rejectsRows,
      rejectsLost,
      seconds: secondsSince(startedMs),
    }
  } finally {
    rejects.close()
    for (const text of rejects.frequentReasons()) progress.warn(text)
    progress.stop()
  }
}

/** What a load is given, and what its steps share. */
import type { Source } from "../sources/source.ts"
import type { HolderNames } from "../text/holder-names.ts"
import type { FileFigures } from "./figures.ts"
import type { MissingNotes } from "./missing-notes.ts"
import type { Progress } from "./progress.ts"
import type { Rejects } from "./rejects.ts"

export interface LoadOptions {
  /** Of the database: `postgres://…`. */
  url: string
  source: Source
  /** Paths; `-` is standard input. Together they are the source's complete set. */
  files: readonly string[]
  /** Adds and changes only, although the source's files are its complete set. */
  partial?: boolean | undefined
  /** Loads companies of every sector, where the source would leave some out. */
  allSectors?: boolean | undefined
  /** How much one file may unpack to; unlimited by default, since a local file is the operator's own. */
  maxUnpackedBytes?: number
  /** Does everything except publish, and reports the same counts. */
  dryRun?: boolean | undefined
  /** Lets a load remove more than a twentieth of its source's records. */
  acceptShrink?: boolean | undefined
  /** Fields of which a load may empty more than a third of the known values. */
  acceptEmpty?: readonly string[] | undefined
  /**
   * When the files were true: a date, which is its beginning in UTC, or a date-time with a zone. By
   * default now or, where the bytes are those of the last load, what that load said.
   */
  observed?: string | undefined
  /** What the files lack goes at once, although the source's files may lack records for a time. */
  removeMissingNow?: boolean | undefined
  /** How long a record must have been missing before it goes; 48 by default. */
  absentAfterHours?: number
  /**
   * The directory for the file of rejected rows, if there are any; created when needed. If it
   * cannot be written, or is not given, the first rejected rows are warnings.
   */
  rejectsDir?: string | undefined
  /** How many rejected rows are allowed; see `Rejects`. */
  maxRejects?: number | undefined
  /** Which holders are stored by their names; all by default. */
  holderNames?: HolderNames
  progress?: Progress
  /** When the fetch of its files began, by `performance.now()`: that time counts too in the metrics. */
  fetchStartedMs?: number
  /** Called before the COMMIT of a release, after which it cannot be cancelled. */
  onCommit?: (() => void) | undefined
  /** Called once the release is published, before anything that follows the commit. */
  onPublished?: (() => void) | undefined
}

export interface Load extends Omit<LoadOptions, "files"> {
  paths: readonly string[]
  partial: boolean
  allSectors: boolean
  acceptEmpty: readonly string[]
  absentAfterHours: number
  holderNames: HolderNames
  progress: Progress
  /** When it began, or its fetch, by `performance.now()`. */
  startedMs: number
  /** The files read so far. */
  files: FileFigures[]
  rejects: Rejects
  /** The keys of rejected rows: stored records of these keys are not missing. */
  rejectedKeys: string[]
  /** The records that are noted as missing; undefined until they have been read. */
  noted?: MissingNotes
}

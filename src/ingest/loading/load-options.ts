/** The options of a load. */
import { type ReferenceSystem, systemNamed } from "../../data/places/reference-system.ts"
import type { HolderNames } from "../../data/resources/holder-names.ts"
import type { Source } from "../sources/source.ts"
import { LoadError } from "./load-error.ts"
import type { Progress } from "./progress.ts"

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
  /** Allows the load to lack more than a twentieth of its source's records, and more than five. */
  acceptShrink?: boolean | undefined
  /** Fields of which the load may clear more than a third of the known values. */
  acceptEmpty?: readonly string[] | undefined
  /** Allows the load to move more than a fifth of its source's shapes. */
  acceptMoved?: boolean | undefined
  /** The reference system of the files; by default the one that they state. */
  crs?: ReferenceSystem | undefined
  /** Reads no shapes; stored ones stay. */
  withoutShapes?: boolean | undefined
  /**
   * When the files were true: a date, which is its beginning in UTC, or a date-time with a zone. By
   * default now or, where the bytes are those of the last load, the time of that load.
   */
  observed?: string | undefined
  /** Removes missing records at once, although the source's files may lack records for a time. */
  removeMissingNow?: boolean | undefined
  /** How long a record must have been missing before a load removes it; 48 by default. */
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
  /** When it, or the fetch of its files, began, by `performance.now()`: the metrics include the fetch. */
  startedMs?: number
  /** Called before the COMMIT of a release, after which it cannot be cancelled. */
  onCommit?: (() => void) | undefined
  /** Called directly after the commit of a release. */
  onPublished?: (() => void) | undefined
}

/** The operator's options, with the defaults that several steps need. No step changes them. */
export type Load = Readonly<
  LoadOptions & { acceptEmpty: readonly string[] } & Required<
      Pick<LoadOptions, "absentAfterHours" | "holderNames" | "progress" | "startedMs">
    >
>

/** @param name such as `EPSG:7844` @throws LoadError for an unknown system */
export function crsOf(name: string): ReferenceSystem {
  const system = systemNamed(name)
  if (system) return system
  throw new LoadError(`Unknown coordinate reference system ${name}; name one as EPSG:7844`)
}

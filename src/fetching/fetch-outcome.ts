/** The options of a fetch, and its outcome. */
import type { Progress } from "../loading/progress.ts"
import type { LoadSummary } from "../loading/summary.ts"
import type { HolderNames } from "../text/holder-names.ts"
import type { Limits } from "./limits.ts"

export interface FetchOptions {
  databaseUrl: string
  dataDir: string
  userAgent: string
  environment: Readonly<Record<string, string | undefined>>
  limits: Limits
  /** Fetches it although it is not due, and loads it although it has not changed. */
  force: boolean
  absentAfterHours: number
  holderNames: HolderNames
  progress: Progress
  /** By one clock for all processes that share the database. */
  now: () => Date
  /** The message for an error that is no LoadError. */
  describe: (error: unknown) => string
  /** Called when the attempt is recorded, with what withdraws it. */
  onAttempt?: (withdraw: () => Promise<void>) => void
  /** Returns unless the process is ending: then nothing further is recorded. */
  whileRunning?: () => Promise<void>
  /** As those of a load. */
  onCommit?: () => void
  onPublished?: () => void
}

export interface FetchOutcome {
  source: string
  /**
   * `failed`: it could not be fetched, or its load broke off; `refused`: its load was; `not due`: it has
   * been fetched not long ago; `busy`: another process fetches it.
   */
  outcome: "published" | "unchanged" | "refused" | "failed" | "not due" | "busy"
  /** Why it failed, was refused, is not due, or is unchanged although newer files have been loaded. */
  reason: string | null
  /** From when on it is due, if it is not due. */
  due: string | null
  /** The paths of its raw files that are kept. */
  files: string[]
  /** Null where nothing was loaded. */
  summary: LoadSummary | null
}

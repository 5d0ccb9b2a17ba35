import type { Turns } from "../db/pool/turns.ts"
import type { Reader } from "../db/reader/reader.ts"
import type { Releases } from "../db/reader/releases.ts"
import type { Log } from "../log/log.ts"
import type { CachedAnswers } from "./cached-answers.ts"
import type { ExportCounts } from "./export-counts.ts"
import type { Pins } from "./pins.ts"

export interface AnswerOptions {
  releases: Releases
  reader: Reader
  /** The releases of page sequences. */
  pins: Pins
  cachedAnswers: CachedAnswers
  /** One place for each export in progress. */
  exportTurns: Turns
  exportCounts: ExportCounts
  /** How long the receiver of an export may read nothing before it is disconnected. */
  exportStallMs: number
  /** Aborts the exports in progress when the service is stopped. */
  exportShutdown: AbortSignal
  /** The service's public address, which links carry; empty for relative links. */
  baseUrl: string
  log: Log
  now: () => Date
}

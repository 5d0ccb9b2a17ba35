/** Exports by how they ended, and what they sent. */
import { createHistogram } from "../telemetry/histogram.ts"
import type { ExportOutcome } from "./export-stream.ts"

/** `refused` is one that got no slot. */
type CountedOutcome = ExportOutcome["outcome"] | "refused"

export type ExportCounts = ReturnType<typeof createExportCounts>

const bounds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800]

export function createExportCounts() {
  const outcomes: Record<CountedOutcome, number> = {
    complete: 0,
    cancelled: 0,
    stalled: 0,
    aborted: 0,
    failed: 0,
    refused: 0,
  }
  const durations = createHistogram(bounds)
  let records = 0
  let bytes = 0
  return {
    /** One that had a stream, of these seconds. */
    count: (ended: Pick<ExportOutcome, "outcome" | "records" | "bytes">, seconds: number): void => {
      outcomes[ended.outcome]++
      records += ended.records
      bytes += ended.bytes
      durations.observe(seconds)
    },
    /** One that ended before its stream began, so that nothing was sent and no duration is known. */
    countWithoutStream: (outcome: "cancelled" | "failed" | "refused"): void => {
      outcomes[outcome]++
    },
    /** `seconds`: how long their streams lasted. */
    readings: () => ({ outcomes, records, bytes, seconds: durations.read() }),
  }
}

/** Counts exports by outcome, with the records and bytes that they sent. */
import { createHistogram } from "../metrics/histogram.ts"
import type { ExportOutcome } from "./export-stream.ts"

/** `refused`: the export got no turn. */
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
    /** @param sent what its stream sent in how many seconds; undefined without a stream */
    count: (
      outcome: CountedOutcome,
      sent?: Pick<ExportOutcome, "records" | "bytes"> & { seconds: number },
    ): void => {
      outcomes[outcome]++
      if (!sent) return
      records += sent.records
      bytes += sent.bytes
      durations.observe(sent.seconds)
    },
    readings: () => ({ outcomes, records, bytes, seconds: durations.read() }),
  }
}

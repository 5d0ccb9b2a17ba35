/** Exports by outcome, with the records and bytes that they sent. */
import { byName, counter, gauge, histogram, type MetricFamily } from "./families.ts"
import { createHistogram } from "./histogram.ts"

export type ExportMetrics = ReturnType<typeof createExportMetrics>

const secondsBounds = [0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800]

export function createExportMetrics() {
  const outcomes = { complete: 0, cancelled: 0, stalled: 0, aborted: 0, failed: 0, refused: 0 }
  const durations = createHistogram(secondsBounds)
  let records = 0
  let bytes = 0
  return {
    /** An export has ended; `refused`: it waited too long for a turn. @param sent undefined without a stream */
    count: (
      outcome: keyof typeof outcomes,
      sent?: { records: number; bytes: number; seconds: number },
    ): void => {
      outcomes[outcome]++
      if (!sent) return
      records += sent.records
      bytes += sent.bytes
      durations.observe(sent.seconds)
    },

    /** @param load the exports that run, and those that wait */
    collect: (load: { running: number; waiting: number }): MetricFamily[] => [
      gauge("mds_exports_active", "Exports in progress", load.running),
      gauge("mds_exports_waiting", "Exports in the queue", load.waiting),
      counter(
        "mds_exports_total",
        "Ended exports, by outcome; refused exports waited too long for a turn",
        byName("outcome", outcomes, (count) => count),
      ),
      counter("mds_export_records_total", "Records that exports have sent", records),
      counter("mds_export_bytes_total", "Bytes that exports have sent", bytes),
      histogram("mds_export_duration_seconds", "Duration of exports, in seconds", durations.read()),
    ],
  }
}

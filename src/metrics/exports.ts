/** Exports of whole lists. */
import type { HistogramReading } from "../telemetry/histogram.ts"
import { byName, type Collector, counter, gauge } from "./families.ts"

export interface ExportReadings {
  running: number
  waiting: number
  outcomes: Readonly<Record<string, number>>
  records: number
  bytes: number
  seconds: HistogramReading
}

export const collectExports =
  (read: () => ExportReadings): Collector =>
  () => {
    const { running, waiting, outcomes, records, bytes, seconds } = read()
    return [
      gauge("mds_exports_active", "Exports in progress", running),
      gauge("mds_exports_waiting", "Exports that wait for their turn", waiting),
      byName("outcome", outcomes)(
        "counter",
        "mds_exports_total",
        "Exports that ended, by how; refused are those that got no turn",
      ),
      counter("mds_export_records_total", "Records that exports have sent", records),
      counter("mds_export_bytes_total", "Bytes that exports have sent", bytes),
      {
        name: "mds_export_duration_seconds",
        help: "How long the streams of exports lasted, in seconds; an export that ended before its stream began is not counted",
        kind: "histogram",
        samples: [{ labels: {}, value: seconds }],
      },
    ]
  }

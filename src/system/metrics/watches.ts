/** Watches: their states in the database, and the deliveries of this process. */
import type { WatchReadings } from "../../data/reader/source-readings.ts"
import { byName, counter, gauge, type MetricFamily } from "./families.ts"

export type WatchMetrics = ReturnType<typeof createWatchMetrics>

export function createWatchMetrics() {
  const counts = {
    webhook: { delivered: 0, failed: 0 },
    mail: { delivered: 0, failed: 0 },
  }
  return {
    /** An attempt to deliver an event has ended. */
    count: (channel: keyof typeof counts, isOk: boolean): void => {
      counts[channel][isOk ? "delivered" : "failed"]++
    },

    collect: ({ states, oldestDueSeconds }: WatchReadings): MetricFamily[] => [
      gauge(
        "mds_watches",
        "Watches by state",
        byName("state", states, (count) => count),
      ),
      gauge(
        "mds_watches_oldest_due_seconds",
        "Time since the oldest due watch became due, in seconds; 0 if none is due",
        oldestDueSeconds,
      ),
      counter(
        "mds_watch_deliveries_total",
        "Attempts to deliver events of watches, by channel and outcome",
        Object.entries(counts).flatMap(([channel, outcomes]) =>
          byName("outcome", outcomes, (count) => count).map(({ labels, value }) => ({
            labels: { channel, ...labels },
            value,
          })),
        ),
      ),
    ],
  }
}

import { loadOutcomes } from "../../data/db/source-tables.ts"
import type { DataReadings, SourceReading } from "../../data/reader/source-readings.ts"
import { counter, gauge, type MetricFamily } from "./families.ts"

/** Loads run in other processes: the database stores the last one of each source, and their number. */
export function dataMetrics({ release, sources }: DataReadings): MetricFamily[] {
  const perSource = (read: (source: SourceReading) => number | null) =>
    sources.map((each) => ({
      labels: { source: each.name, resource: each.resource },
      value: read(each),
    }))
  const perOutcome = (read: (source: SourceReading, outcome: SourceReading["outcome"]) => number) =>
    loadOutcomes.flatMap((outcome) =>
      perSource((source) => read(source, outcome)).map(({ labels, value }) => ({
        labels: { ...labels, outcome },
        value,
      })),
    )
  return [
    gauge("mds_release", "Number of the newest release", release?.id),
    gauge(
      "mds_release_published_timestamp_seconds",
      "When the newest release was published, in Unix seconds",
      release?.publishedAt,
    ),
    gauge(
      "mds_source_release",
      "Number of the last release that changed records of a source",
      perSource(({ release }) => release),
    ),
    gauge(
      "mds_source_last_outcome",
      "1 for the outcome of the last load or fetch of a source, 0 for the others",
      perOutcome((source, outcome) => Number(source.outcome === outcome)),
    ),
    counter(
      "mds_source_loads_total",
      "Loads and fetches of a source, in all processes",
      perOutcome(({ totals }, outcome) => totals[outcome]?.loads ?? 0),
    ),
    counter(
      "mds_source_load_seconds_total",
      "Duration of loads and fetches of a source, in seconds",
      perOutcome(({ totals }, outcome) => totals[outcome]?.seconds ?? 0),
    ),
    gauge(
      "mds_source_changed_timestamp_seconds",
      "When a release last changed records of a source, in Unix seconds",
      perSource(({ changedAt }) => changedAt),
    ),
    gauge(
      "mds_source_loaded_timestamp_seconds",
      "When the last successful load of a source ended, in Unix seconds",
      perSource(({ loadedAt }) => loadedAt),
    ),
    gauge(
      "mds_source_attempted_timestamp_seconds",
      "When the last fetch of a source began, in Unix seconds",
      perSource(({ attemptedAt }) => attemptedAt),
    ),
    gauge(
      "mds_source_observed_timestamp_seconds",
      "When the newest accepted files of a source were true, in Unix seconds",
      perSource(({ observedAt }) => observedAt),
    ),
  ]
}

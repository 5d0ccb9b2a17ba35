/**
 * The data that is served. Loads run in other processes: the metrics show what the database keeps of each
 * source, which is the last load, and how many there were with each outcome.
 */
import { type Collector, familyOf, gauge } from "./families.ts"

export interface DataReadings {
  release: { id: number; publishedAt: number } | null
  sources: readonly SourceReading[]
  /** Those that the last load of a source may have. */
  outcomes: readonly string[]
}

/** Times are in Unix seconds; null where it has not happened. */
interface SourceReading {
  name: string
  resource: string
  outcome: string
  release: number | null
  changedAt: number | null
  loadedAt: number | null
  attemptedAt: number | null
  observedAt: number | null
  /** By outcome. */
  totals: Readonly<Record<string, { loads: number; seconds: number } | undefined>>
}

export const collectData =
  (read: () => Promise<DataReadings | undefined>): Collector =>
  async () => {
    const data = await read()
    if (!data) return []
    const { release, sources, outcomes } = data
    const labelsOf = ({ name, resource }: SourceReading) => ({ source: name, resource })
    const source = familyOf(sources, labelsOf)
    const time = (
      name: string,
      help: string,
      readValue: (source: SourceReading) => number | null,
    ) => source("gauge", name, `${help}, in Unix seconds`, (each) => readValue(each) ?? undefined)
    const ofOutcome = familyOf(
      sources.flatMap((each) => outcomes.map((outcome) => ({ each, outcome }))),
      ({ each, outcome }) => ({ ...labelsOf(each), outcome }),
    )
    return [
      gauge("mds_release", "Number of the newest release", release?.id),
      gauge(
        "mds_release_published_timestamp_seconds",
        "When the newest release was published, in Unix seconds",
        release?.publishedAt,
      ),
      source(
        "gauge",
        "mds_source_release",
        "Number of the last release that changed records of a source",
        (each) => each.release ?? undefined,
      ),
      ofOutcome(
        "gauge",
        "mds_source_last_outcome",
        "1 for the outcome of the last load or fetch of a source, 0 for the others",
        ({ each, outcome }) => Number(each.outcome === outcome),
      ),
      ofOutcome(
        "counter",
        "mds_source_loads_total",
        "Loads and fetches of a source, by outcome, in all processes",
        ({ each, outcome }) => each.totals[outcome]?.loads ?? 0,
      ),
      ofOutcome(
        "counter",
        "mds_source_load_seconds_total",
        "How long loads and fetches of a source took, by outcome, in seconds",
        ({ each, outcome }) => each.totals[outcome]?.seconds ?? 0,
      ),
      time(
        "mds_source_changed_timestamp_seconds",
        "When the last release that changed records of a source was published",
        ({ changedAt }) => changedAt,
      ),
      time(
        "mds_source_loaded_timestamp_seconds",
        "When a source was last loaded, whatever came of it",
        ({ loadedAt }) => loadedAt,
      ),
      time(
        "mds_source_attempted_timestamp_seconds",
        "When the last fetch of a source began, whatever came of it",
        ({ attemptedAt }) => attemptedAt,
      ),
      time(
        "mds_source_observed_timestamp_seconds",
        "When the newest files of a source that were not refused were true",
        ({ observedAt }) => observedAt,
      ),
    ]
  }

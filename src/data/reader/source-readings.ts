/**
 * Reads the state of the data for the metrics and the frame of pages: the newest release, the last loads of each
 * source with their outcomes, and the numbers of watches. It queries at most once a minute, and counts no records.
 */
import { settleWithin } from "../../system/text/settle-within.ts"
import { watchStates } from "../db/alert-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { ifUnavailable, noResponseWithin, Unavailable } from "../db/pool/unavailable.ts"
import type { LoadOutcome, LoadTotals } from "../db/source-tables.ts"
import { sharedRead } from "./shared-read.ts"

export interface SourceReading {
  name: string
  resource: string
  outcome: LoadOutcome
  /** The last release that changed its records; null where there is none. */
  release: number | null
  /** In Unix seconds; null for never. */
  changedAt: number | null
  loadedAt: number | null
  attemptedAt: number | null
  /** When its newest files were true; null if unknown. */
  observedAt: number | null
  totals: LoadTotals
}

export interface WatchReadings {
  /** The number of watches in each state. */
  states: Readonly<Record<string, number>>
  /** 0 if none is due. */
  oldestDueSeconds: number
}

export interface DataReadings {
  release: { id: number; publishedAt: number } | null
  sources: readonly SourceReading[]
  watches: WatchReadings
}

const readEveryMs = 60_000
/** A scrape waits no longer, and then reports the previous state. */
const waitMs = 1_000

const seconds = (column: string) => `extract(epoch from ${column})::float8`

const states = `
  select json_build_object(${watchStates
    .map((state) => `'${state}', count(*) filter (where state = '${state}')`)
    .join()}) from watches`

/** An active watch is due at its time and, unless it waits for a morning, at the first release after its cursor. */
const oldestDue = `
  select coalesce(extract(epoch from now() - min(due)), 0)::float8
  from watches join accounts on accounts.id = account_id and disabled_at is null
  cross join lateral (select least(due_at, (
    select published_at from releases
    where event_id is null and coalesce(channel ->> 'when', 'at-once') = 'at-once' and releases.id > covered_release
    order by releases.id limit 1)) as due) as at
  where state = 'active' and due <= now()`

const statement = `
  select
    (select json_build_object('id', id, 'publishedAt', ${seconds("published_at")})
     from releases order by id desc limit 1) as release,
    (select coalesce(json_agg(json_build_object(
       'name', name, 'resource', resource, 'outcome', last_outcome, 'release', last_release,
       'changedAt', ${seconds("last_changed_at")}, 'loadedAt', ${seconds("last_loaded_at")},
       'attemptedAt', ${seconds("last_attempted_at")},
       'observedAt', case when last_observed_is_known then ${seconds("last_observed_at")} end,
       'totals', totals) order by number), '[]')
     from sources) as sources,
    json_build_object('states', (${states}), 'oldestDueSeconds', (${oldestDue})) as watches`

export type ReadSourceReadings = ReturnType<typeof createSourceReadings>

/** When the newest files of a known time were true, in Unix seconds; null without any. */
export const newestObserved = ({ sources }: DataReadings): number | null =>
  Math.max(0, ...sources.map(({ observedAt }) => observedAt ?? 0)) || null

/**
 * @param onFailure receives any error but an outage of the database, which has metrics of its own
 * @returns the last state; undefined before the first. Never rejects.
 */
export function createSourceReadings(
  pool: Pool,
  now: () => Date,
  onFailure: (error: unknown) => void,
): () => Promise<DataReadings | undefined> {
  let last: DataReadings | undefined

  async function read(): Promise<void> {
    const [row] = await pool.runAlone(null, (db) => db.$client.unsafe<DataReadings[]>(statement))
    if (!row) throw new Error("A query for the state of the sources returned no row")
    last = row
  }

  const reading = sharedRead(readEveryMs, now, () =>
    read().catch((error: unknown) => {
      if (!(error instanceof Unavailable)) onFailure(error)
    }),
  )
  return async () => {
    await settleWithin(waitMs, reading(), noResponseWithin).catch(ifUnavailable(undefined))
    return last
  }
}

/** Counts the loads and fetches of each source by their outcome, with the time that they took. */
import type { TransactionSql } from "postgres"
import type { LoadOutcome } from "../db/source-tables.ts"

export interface Ended {
  source: string
  resource: string
  outcome: LoadOutcome
  /** Since the fetch began or, without one, the load; of a load of several resources, for each. */
  seconds: number
}

/**
 * In the transaction that records the outcome, so that each is counted once, and before that: a restore
 * locks the tables in this order too.
 */
export async function countLoad(
  sql: TransactionSql,
  { source, resource, outcome, seconds }: Ended,
): Promise<void> {
  await sql.unsafe(
    `insert into load_totals as t (source, resource, outcome, loads, seconds)
     values ($1, $2, $3, 1, $4)
     on conflict (source, resource, outcome) do update set
       loads = t.loads + 1, seconds = t.seconds + excluded.seconds`,
    [source, resource, outcome, seconds],
  )
}

/** @param startedMs by `performance.now()` */
export const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000

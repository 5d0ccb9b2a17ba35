/** Deletes the history of old releases, which stay listed and are no longer readable. */
import type { TransactionSql } from "postgres"
import { withConnection } from "../../data/db/connection.ts"
import { loadedNames } from "../../data/resources/resource.ts"
import { publishing } from "./publishing.ts"

const whenUnknown =
  "It is not known whether the releases were pruned. Run the same command again: it prunes the rest."

/** The most days for which releases are kept for watches. */
const watchDays = 31

/**
 * Keeps every release that was the newest at any moment of the last `keepDays` days, and those since the oldest one
 * that an active watch compares with, for 31 days at most.
 * @param url of the database: `postgres://…`
 * @param keepDays at least 1: page sequences and exports may still read the newest release of today
 */
export const prune = (url: string, keepDays: number) =>
  withConnection(url, (client) =>
    publishing(client, { whenUnknown, onWait: () => {} }, async (sql, committing) => {
      const pruned = await dropOld(sql, keepDays)
      committing()
      return pruned
    }),
  )

/** Returns the oldest release that remains, if any, and the numbers of releases pruned and superseded records deleted. */
async function dropOld(sql: TransactionSql, keepDays: number) {
  const newestBefore = (days: number) => sql`
    coalesce(max(id) filter (where published_at <= now() - make_interval(days => ${days}::integer)), min(id))`
  const [row] = await sql<{ oldest: number }[]>`
    with kept as (
      select ${newestBefore(keepDays)} as oldest, ${newestBefore(watchDays)} as oldest_watched
      from releases where not is_pruned having count(*) > 0),
    watched as (
      select min(coalesce(event_since, covered_release)) as id from watches
      join accounts on accounts.id = account_id where state = 'active' and disabled_at is null)
    select least(oldest, greatest(oldest_watched, coalesce(watched.id, oldest))) as oldest
    from kept, watched`
  if (!row) return { oldest: null, releases: 0, records: 0 }
  const { oldest } = row
  let records = 0
  for (const name of loadedNames) {
    const dropped = await sql`
      delete from ${sql(`${name}_history`)} where until_release <= ${oldest}`
    records += dropped.count
  }
  await sql`
    delete from shape_parts where not exists (select from tenements where geometry = shape)
      and not exists (select from tenements_history where geometry = shape)`
  const pruned = await sql`
    update releases set is_pruned = true where id < ${oldest} and not is_pruned`
  return { oldest, releases: pruned.count, records }
}

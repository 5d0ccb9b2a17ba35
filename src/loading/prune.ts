/** Deletes old releases, with their rows of the history. */
import type { TransactionSql } from "postgres"
import { committed } from "../db/commit.ts"
import { withConnection } from "../db/connection.ts"
import { pinExpiryMinutes } from "../db/pinned-releases.ts"
import { resourceNames } from "../resources/resource.ts"
import { publishingLock } from "./publish.ts"

export interface Pruned {
  /** The oldest release that is still kept; null where there is none at all. */
  oldest: number | null
  /** Numbers of deleted releases and superseded records. */
  releases: number
  records: number
}

const whenUnknown =
  "It is not known whether the releases were deleted. Run the same command again: it deletes the rest."

/**
 * Keeps every release that was current within the last `keepDays` days, always the newest, and
 * those that a page sequence or an export still reads, in any process.
 * @param url of the database: `postgres://…`
 */
export function prune(url: string, keepDays: number): Promise<Pruned> {
  return withConnection(url, (client) =>
    committed(whenUnknown, (committing) =>
      client.begin(async (sql) => {
        const pruned = await dropOld(sql, keepDays)
        committing()
        return pruned
      }),
    ),
  )
}

async function dropOld(sql: TransactionSql, keepDays: number): Promise<Pruned> {
  await sql`select pg_advisory_xact_lock(${publishingLock})`
  const [row] = await sql<{ oldest: number | null }[]>`
    select least(
      (select coalesce(
        max(id) filter (where published_at <= now() - make_interval(days => ${keepDays}::integer)),
        min(id)) from releases),
      (select min(release) from pinned_releases
        where seen_at > now() - make_interval(mins => ${pinExpiryMinutes}::integer))
    ) as oldest`
  const oldest = row?.oldest ?? null
  if (oldest === null) return { oldest, releases: 0, records: 0 }
  let records = 0
  for (const name of resourceNames) {
    const dropped = await sql`
      delete from ${sql(`${name}_history`)} where until_release <= ${oldest}`
    records += dropped.count
  }
  const releases = (await sql`delete from releases where id < ${oldest}`).count
  return { oldest, releases, records }
}

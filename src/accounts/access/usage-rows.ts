/** The table of the counts of admitted requests of all processes. */
import { and, eq, gte, sql } from "drizzle-orm"
import { accountsTable, usageHours } from "../../data/db/account-tables.ts"
import type { Database } from "../../data/db/pool/pool.ts"

/** Requests with a token in a clock hour (UTC). */
export interface CountOfAccount {
  accountId: number
  /** Or `withoutToken`. */
  tokenId: number
  /** The beginning of the hour, ms since 1970. */
  startMs: number
  requests: number
}

export type Count = Awaited<ReturnType<typeof readCounts>>[number]

/**
 * Adds to the stored counts. Skips rows of accounts that were deleted in the meantime. All processes add in
 * the same order, which excludes deadlocks.
 */
export async function addCounts(db: Database, counts: readonly CountOfAccount[]): Promise<void> {
  const rows = JSON.stringify(
    counts.map(({ accountId, tokenId, startMs, requests }) => ({
      account_id: accountId,
      token_id: tokenId,
      hour: instant(startMs),
      requests,
    })),
  )
  await db.execute(sql`
    insert into ${usageHours} (account_id, hour, token_id, requests)
    select account_id, hour, token_id, requests from jsonb_to_recordset(${rows}::jsonb)
      as t(account_id bigint, hour timestamptz, token_id bigint, requests bigint)
    where exists (select 1 from ${accountsTable} where ${accountsTable.id} = t.account_id)
    order by account_id, hour, token_id
    on conflict (account_id, hour, token_id)
      do update set requests = ${usageHours.requests} + excluded.requests`)
}

/** The counts of an account: by day from `firstDayMs` on, and by hour from `firstHourMs` on. */
export function readCounts(
  db: Database,
  accountId: number,
  { firstHourMs, firstDayMs }: { firstHourMs: number; firstDayMs: number },
) {
  const { hour, requests } = usageHours
  const start = sql`case when ${hour} >= ${instant(firstHourMs)}::timestamptz then ${hour}
    else date_trunc('day', ${hour}, 'UTC') end`
  return db
    .select({
      tokenId: usageHours.token_id,
      startMs: sql<number>`extract(epoch from ${start}) * 1000`.mapWith(Number).as("start_ms"),
      requests: sql<number>`sum(${requests})`.mapWith(Number),
    })
    .from(usageHours)
    .where(and(eq(usageHours.account_id, accountId), gte(hour, instant(firstDayMs))))
    .groupBy(usageHours.token_id, sql`start_ms`)
}

const instant = (ms: number): string => new Date(ms).toISOString()

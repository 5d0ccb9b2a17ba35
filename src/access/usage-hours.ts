/** The table in which the counts of admitted requests of all processes are added up. */
import { and, gte, inArray, lt, sql } from "drizzle-orm"
import { accounts, usageHours } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"

type Statements = Pool["db"]

/** Requests by the beginning of the clock hour (UTC) in which they were admitted, ms since 1970. */
export type Hours = Map<number, number>

export interface HourOfAccount {
  accountId: number
  hourMs: number
  requests: number
}

/** Adds to the stored counts. Rows of accounts that were deleted in the meantime are skipped. */
export async function addHours(db: Statements, rows: readonly HourOfAccount[]): Promise<void> {
  const counted = JSON.stringify(
    rows.map(({ accountId, hourMs, requests }) => ({
      account_id: accountId,
      hour: instant(hourMs),
      requests,
    })),
  )
  await db.execute(sql`insert into ${usageHours} (account_id, hour, requests)
    select account_id, hour, requests
    from jsonb_to_recordset(${counted}::jsonb) as t(account_id bigint, hour timestamptz, requests bigint)
    where exists (select 1 from ${accounts} where ${accounts.id} = t.account_id)
    on conflict (account_id, hour) do update set requests = ${usageHours.requests} + excluded.requests`)
}

/** The hours of each account, from `firstMs` on. */
export async function readHours(
  db: Statements,
  accountIds: readonly number[],
  firstMs: number,
): Promise<Map<number, Hours>> {
  const rows = await db
    .select({
      accountId: usageHours.account_id,
      hourMs: sql`extract(epoch from ${usageHours.hour}) * 1000`.mapWith(Number),
      requests: usageHours.requests,
    })
    .from(usageHours)
    .where(
      and(inArray(usageHours.account_id, [...accountIds]), gte(usageHours.hour, instant(firstMs))),
    )
  const found = new Map(accountIds.map((accountId): [number, Hours] => [accountId, new Map()]))
  for (const { accountId, hourMs, requests } of rows) found.get(accountId)?.set(hourMs, requests)
  return found
}

export async function deleteHours(db: Statements, beforeMs: number): Promise<void> {
  await db.delete(usageHours).where(lt(usageHours.hour, instant(beforeMs)))
}

const instant = (ms: number): string => new Date(ms).toISOString()

/**
 * The tables in which the counts of admitted requests of all processes are added up: by hour for two
 * days, by day for 31. The requests of an hour beyond those of its tokens were made without a token or
 * counted by a version that did not tell tokens apart.
 */
import { and, eq, gte, lt, type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import {
  accounts,
  tokens,
  usageDays,
  usageHours,
  usageTokenHours,
  withoutToken,
} from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { dayMs, hourMs } from "../text/durations.ts"
import { type CountOfToken, type Hours, startOfDay } from "./usage-counts.ts"

type Statements = Pool["db"]

const keptHoursMs = 48 * hourMs
const keptDaysMs = 31 * dayMs

/**
 * Adds to the stored counts. Rows of accounts that were deleted in the meantime are skipped. All
 * processes add in the same order, so that none waits for another that waits for it.
 */
export async function addCounts(db: Statements, rows: readonly CountOfToken[]): Promise<void> {
  const counts = JSON.stringify(
    rows.map(({ accountId, tokenId, hourMs, requests }) => ({
      account_id: accountId,
      token_id: tokenId,
      hour: instant(hourMs),
      requests,
    })),
  )
  await db.execute(sql`
    with counted as (
      select * from jsonb_to_recordset(${counts}::jsonb)
        as t(account_id bigint, token_id bigint, hour timestamptz, requests bigint)
      where exists (select 1 from ${accounts} where ${accounts.id} = t.account_id)
    ), by_hour as (
      insert into ${usageHours} (account_id, hour, requests)
      select account_id, hour, sum(requests) from counted
      group by account_id, hour order by account_id, hour
      on conflict (account_id, hour) do update set requests = ${usageHours.requests} + excluded.requests
    ), by_token as (
      insert into ${usageTokenHours} (account_id, token_id, hour, requests)
      select account_id, token_id, hour, requests from counted
      where token_id <> ${withoutToken} order by account_id, hour, token_id
      on conflict (account_id, hour, token_id)
        do update set requests = ${usageTokenHours.requests} + excluded.requests
    )
    insert into ${usageDays} (account_id, token_id, day, requests)
    select account_id, token_id, (hour at time zone 'UTC')::date as day, sum(requests)
    from counted group by account_id, token_id, day order by account_id, day, token_id
    on conflict (account_id, day, token_id)
      do update set requests = ${usageDays.requests} + excluded.requests`)
}

/** The hours of each account, from `firstMs` on, with the requests of all its tokens. */
export async function readHours(
  db: Statements,
  accountId: number,
  firstMs: number,
): Promise<Hours> {
  const rows = await db
    .select({ hourMs: epochMs(usageHours.hour), requests: usageHours.requests })
    .from(usageHours)
    .where(and(eq(usageHours.account_id, accountId), gte(usageHours.hour, instant(firstMs))))
  return new Map(rows.map(({ hourMs, requests }) => [hourMs, requests]))
}

/** What a period has, by its beginning and by token; and how much of it is of spreadsheets. */
export interface StoredPeriods {
  requests: Hours
  ofSpreadsheets: Hours
  byToken: Map<number, number>
}

export interface StoredUsage {
  hours: StoredPeriods
  days: StoredPeriods
  /** The tokens that are marked for spreadsheets. */
  spreadsheetTokens: ReadonlySet<number>
}

/** The hours and days of one account from these on. The database adds up, however many tokens there are. */
export async function readUsage(
  db: Statements,
  accountId: number,
  { firstHourMs, firstDayMs }: { firstHourMs: number; firstDayMs: number },
): Promise<StoredUsage> {
  const ofHours = sql`account_id = ${accountId} and hour >= ${instant(firstHourMs)}::timestamptz`
  // In one statement, so that no write comes between the sum and its parts.
  const hours = await readPeriods(
    db,
    sql`
      select hour as start, token_id, requests from ${usageTokenHours} where ${ofHours}
      union all
      select hour, ${withoutToken}, requests - coalesce((
        select sum(requests) from ${usageTokenHours}
        where account_id = counted.account_id and hour = counted.hour
      ), 0)
      from ${usageHours} as counted where ${ofHours}`,
  )
  const days = await readPeriods(
    db,
    sql`
      select day as start, token_id, requests from ${usageDays}
      where account_id = ${accountId} and day >= ${dateOf(firstDayMs)}::date`,
  )
  const marked = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(sql`${tokens.account_id} = ${accountId} and ${tokens.for_spreadsheets}`)
  return { hours, days, spreadsheetTokens: new Set(marked.map(({ id }) => id)) }
}

/** @param counted rows of `start`, `token_id` and `requests` */
async function readPeriods(db: Statements, counted: SQL): Promise<StoredPeriods> {
  const rows = await db.execute<{
    start_ms: string | null
    token_id: string | null
    requests: string
    of_spreadsheets: string
  }>(sql`
    select extract(epoch from start) * 1000 as start_ms, token_id,
      sum(requests) as requests,
      coalesce(sum(requests) filter (where for_spreadsheets), 0) as of_spreadsheets
    from (${counted}) as counted
      left join (select id, for_spreadsheets from ${tokens}) as of_token on id = token_id
    where requests <> 0
    group by grouping sets ((start), (token_id))`)
  const periods: StoredPeriods = {
    requests: new Map(),
    ofSpreadsheets: new Map(),
    byToken: new Map(),
  }
  for (const { start_ms, token_id, requests, of_spreadsheets } of rows) {
    if (start_ms === null) {
      periods.byToken.set(Number(token_id), Number(requests))
    } else {
      periods.requests.set(Number(start_ms), Number(requests))
      periods.ofSpreadsheets.set(Number(start_ms), Number(of_spreadsheets))
    }
  }
  return periods
}

/** Deletes what is older than any read shows. */
export async function deleteOldCounts(db: Statements, nowMs: number): Promise<void> {
  for (const hours of [usageHours, usageTokenHours]) {
    await db.delete(hours).where(lt(hours.hour, instant(nowMs - keptHoursMs)))
  }
  await db.delete(usageDays).where(lt(usageDays.day, dateOf(startOfDay(nowMs) - keptDaysMs)))
}

/** When a count that could not be written is too old to be kept. */
export const tooOldToWriteMs = keptDaysMs

const instant = (ms: number): string => new Date(ms).toISOString()
const dateOf = (ms: number): string => instant(ms).slice(0, 10)

const epochMs = (column: PgColumn): SQL<number> =>
  sql<number>`extract(epoch from ${column}) * 1000`.mapWith(Number)

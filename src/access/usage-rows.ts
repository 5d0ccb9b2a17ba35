/** The table in which the admitted requests of all processes add up. */
import { and, eq, gte, type SQL, sql } from "drizzle-orm"
import { accounts, tokens, usageHours } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { milliseconds } from "../resources/values.ts"

export interface CountOfToken {
  accountId: number
  /** Or `withoutToken`. */
  tokenId: number
  /** The beginning of the clock hour (UTC), ms since 1970. */
  hourMs: number
  requests: number
}

export interface Period {
  /** When it begins, ms since 1970. */
  startMs: number
  requests: number
  /** The requests among them that were made with a token marked for spreadsheets. */
  ofSpreadsheets: number
}

export interface TokenUse {
  /** Or `withoutToken`. */
  tokenId: number
  lastDay: number
  last30Days: number
}

/**
 * Adds to the stored counts. Rows of accounts that were deleted in the meantime are skipped. All
 * processes add in the same order, so that none waits for another that waits for it.
 */
export async function addCounts(db: Pool["db"], rows: readonly CountOfToken[]): Promise<void> {
  const counts = JSON.stringify(
    rows.map(({ accountId, tokenId, hourMs, requests }) => ({
      account_id: accountId,
      token_id: tokenId,
      hour: instant(hourMs),
      requests,
    })),
  )
  await db.execute(sql`
    insert into ${usageHours} (account_id, hour, token_id, requests)
    select account_id, hour, token_id, requests from jsonb_to_recordset(${counts}::jsonb)
      as t(account_id bigint, hour timestamptz, token_id bigint, requests bigint)
    where exists (select 1 from ${accounts} where ${accounts.id} = t.account_id)
    order by account_id, hour, token_id
    on conflict (account_id, hour, token_id)
      do update set requests = ${usageHours.requests} + excluded.requests`)
}

/** The hours of an account from `firstMs` on in which it made requests. The database adds up its tokens. */
export const readHours = (db: Pool["db"], accountId: number, firstMs: number): Promise<Period[]> =>
  db
    .select({
      startMs: sql<number>`${milliseconds(usageHours.hour)}`.mapWith(Number),
      requests: requestsWhere(),
      ofSpreadsheets: requestsWhere(sql`${tokens.for_spreadsheets}`),
    })
    .from(usageHours)
    .leftJoin(tokens, eq(tokens.id, usageHours.token_id))
    .where(ofAccount(accountId, firstMs))
    .groupBy(usageHours.hour)

/** How much each token of an account was used, from these times on. */
export const readTokenUses = (
  db: Pool["db"],
  accountId: number,
  { firstHourMs, firstDayMs }: { firstHourMs: number; firstDayMs: number },
): Promise<TokenUse[]> =>
  db
    .select({
      tokenId: usageHours.token_id,
      lastDay: requestsWhere(gte(usageHours.hour, instant(firstHourMs))),
      last30Days: requestsWhere(),
    })
    .from(usageHours)
    .where(ofAccount(accountId, firstDayMs))
    .groupBy(usageHours.token_id)

/** The numbers of the account's tokens that are marked for spreadsheets. */
export async function readSpreadsheetTokens(
  db: Pool["db"],
  accountId: number,
): Promise<ReadonlySet<number>> {
  const rows = await db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.account_id, accountId), tokens.for_spreadsheets))
  return new Set(rows.map(({ id }) => id))
}

const ofAccount = (accountId: number, firstMs: number) =>
  and(eq(usageHours.account_id, accountId), gte(usageHours.hour, instant(firstMs)))

const requestsWhere = (condition: SQL = sql`true`) =>
  sql<number>`coalesce(sum(${usageHours.requests}) filter (where ${condition}), 0)`.mapWith(Number)

const instant = (ms: number): string => new Date(ms).toISOString()

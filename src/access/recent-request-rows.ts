/** The table of recent requests, shared by all processes. */
import { desc, eq, sql } from "drizzle-orm"
import { accounts, recentRequests } from "../db/account-tables.ts"
import { locks } from "../db/advisory-locks.ts"
import type { Pool } from "../db/pool/pool.ts"
import { milliseconds } from "../resources/values.ts"
import { arrayLiteral } from "../text/array-literal.ts"
import { storableText } from "../text/printable-text.ts"

/** The number of requests that are stored and shown for each account. */
export const maxStoredRequests = 100

export interface RecentRequest {
  /** As in `X-Request-Id`. */
  requestId: string
  /** Or `withoutToken`. */
  tokenId: number
  /** When it arrived, ms since 1970. */
  atMs: number
  method: string
  /** Path and query, without tokens. */
  target: string
  status: number
  /** Milliseconds until the response. */
  ms: number
}

/** Requests of an account. */
export interface RequestsOfAccount {
  accountId: number
  requests: readonly RecentRequest[]
}

/**
 * Adds requests, and deletes those of their accounts beyond the last hundred. A retry skips requests that
 * were added before. Requests of deleted accounts are skipped too.
 */
export async function addRequests(
  db: Pool["db"],
  added: readonly RequestsOfAccount[],
): Promise<void> {
  const rows = JSON.stringify(
    added.flatMap(({ accountId, requests }) =>
      requests.map(({ requestId, tokenId, atMs, target, ...request }) => ({
        ...request,
        account_id: accountId,
        request_id: requestId,
        token_id: tokenId,
        at: new Date(atMs).toISOString(),
        target: storableText(target),
      })),
    ),
  )
  const accountIds = arrayLiteral(added.map(({ accountId }) => accountId))
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into ${recentRequests} (account_id, request_id, token_id, at, method, target, status, ms)
      select account_id, request_id, token_id, at, method, target, status, ms
      from jsonb_to_recordset(${rows}::jsonb) as t(account_id bigint, request_id uuid, token_id bigint,
        at timestamptz, method text, target text, status integer, ms real)
      where exists (select 1 from ${accounts} where ${accounts.id} = t.account_id)
      on conflict (request_id) do nothing`)
    // Processes that delete the same rows in different orders would block each other.
    await tx.execute(sql`select pg_advisory_xact_lock(${locks.recentRequests})`)
    await tx.execute(sql`
      delete from ${recentRequests} where request_id in (
        select old.request_id from unnest(${accountIds}::bigint[]) as of(id) cross join lateral (
          select request_id from ${recentRequests} where account_id = of.id
          order by at desc, request_id desc offset ${maxStoredRequests}
        ) as old
      )`)
  })
}

/** The last hundred requests of an account, the newest first. */
export const readRequests = (db: Pool["db"], accountId: number): Promise<RecentRequest[]> =>
  db
    .select({
      requestId: recentRequests.request_id,
      tokenId: recentRequests.token_id,
      atMs: sql<number>`${milliseconds(recentRequests.at)}`.mapWith(Number),
      method: recentRequests.method,
      target: recentRequests.target,
      status: recentRequests.status,
      ms: recentRequests.ms,
    })
    .from(recentRequests)
    .where(eq(recentRequests.account_id, accountId))
    .orderBy(desc(recentRequests.at), desc(recentRequests.request_id))
    .limit(maxStoredRequests)

/**
 * The last requests of each account, so that a person can see why a request failed.
 *
 * A process keeps its requests in memory until it has added them to the database, and no more of each account
 * than the page shows. It adds them before a read, so that a person sees a request at once.
 *
 * Beyond a budget of bytes, the least recently active account loses its requests.
 */
import { desc, eq, sql } from "drizzle-orm"
import { accountsTable, recentRequests } from "../../data/db/account-tables.ts"
import { locks } from "../../data/db/advisory-locks.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { Unavailable } from "../../data/db/pool/unavailable.ts"
import { milliseconds } from "../../data/resources/values.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { storableText } from "../../system/text/printable-text.ts"
import { type OnWriteFailure, writeInBackground } from "./background-writes.ts"

/** The number of requests that are stored and shown for each account. */
const maxStoredRequests = 100

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

export interface RecentRequestsOptions {
  pool: Pool
  onFailure: OnWriteFailure
  maxBytes?: number
  writeEveryMs?: number
}

export type RecentRequests = ReturnType<typeof createRecentRequests>

/** The size of a request without its target, with its share of the structures around it. */
const requestBytes = 400
const charBytes = 2

export function createRecentRequests({
  pool,
  onFailure,
  maxBytes = 8 * 1024 * 1024,
  writeEveryMs,
}: RecentRequestsOptions) {
  /** The requests of each account, oldest first. The least recently active account is the first. */
  const unwritten = new Map<number, RecentRequest[]>()
  let bytes = 0
  let dropped = 0

  /** Removes the oldest requests of an account. */
  function remove(accountId: number, requests: RecentRequest[], count = requests.length): void {
    for (const each of requests.splice(0, count)) bytes -= bytesOf(each)
    if (requests.length === 0) unwritten.delete(accountId)
  }

  /** Requests stay in memory only while the database is unavailable: any other failure would repeat. */
  async function write(): Promise<void> {
    if (dropped > 0) {
      const message = `The recent requests of all accounts take more than ${maxBytes} bytes`
      onFailure(new Error(message), { unwritten_requests: dropped })
      dropped = 0
    }
    const added = [...unwritten].flatMap(([accountId, requests]) =>
      requests.map((request) => ({ accountId, request })),
    )
    if (added.length === 0) return
    await pool
      .runAlone(null, (db) => addRequests(db, added))
      .catch((error: unknown) => {
        if (error instanceof Unavailable) throw error
        onFailure(error, { unwritten_requests: added.length })
      })
    const written = new Set(added.map(({ request }) => request))
    for (const [accountId, requests] of unwritten) {
      remove(accountId, requests, requests.filter((each) => written.has(each)).length)
    }
  }

  const { afterWrite, stop } = writeInBackground({
    write,
    unwritten: () => [...unwritten.values()].flat().length,
    onFailure,
    everyMs: writeEveryMs,
  })

  return {
    record: (accountId: number, request: RecentRequest): void => {
      const requests = unwritten.get(accountId) ?? []
      requests.push(request)
      bytes += bytesOf(request)
      unwritten.delete(accountId)
      unwritten.set(accountId, requests)
      if (requests.length > maxStoredRequests) remove(accountId, requests, 1)
      for (const [leastActive, lost] of unwritten) {
        if (bytes <= maxBytes) break
        dropped += lost.length
        remove(leastActive, lost)
      }
    },

    /**
     * The last hundred requests of an account, the newest first. Those of other processes arrive some seconds
     * late.
     * @throws Unavailable
     */
    last: (accountId: number): Promise<RecentRequest[]> =>
      afterWrite(() => pool.runAlone(accountId, (db) => readRequests(db, accountId))),

    stop,
  }
}

const bytesOf = ({ target }: RecentRequest): number => requestBytes + charBytes * target.length

interface AddedRequest {
  accountId: number
  request: RecentRequest
}

/**
 * Adds requests, and deletes those of their accounts beyond the last hundred. A retry skips requests that
 * were added before. Requests of deleted accounts are skipped too.
 */
async function addRequests(db: Pool["db"], added: readonly AddedRequest[]): Promise<void> {
  const rows = JSON.stringify(
    added.map(({ accountId, request: { requestId, tokenId, atMs, target, ...request } }) => ({
      ...request,
      account_id: accountId,
      request_id: requestId,
      token_id: tokenId,
      at: new Date(atMs).toISOString(),
      target: storableText(target),
    })),
  )
  const accountIds = arrayLiteral([...new Set(added.map(({ accountId }) => accountId))])
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      insert into ${recentRequests} (account_id, request_id, token_id, at, method, target, status, ms)
      select account_id, request_id, token_id, at, method, target, status, ms
      from jsonb_to_recordset(${rows}::jsonb) as t(account_id bigint, request_id uuid, token_id bigint,
        at timestamptz, method text, target text, status integer, ms real)
      where exists (select 1 from ${accountsTable} where ${accountsTable.id} = t.account_id)
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
const readRequests = (db: Pool["db"], accountId: number): Promise<RecentRequest[]> =>
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

/**
 * Counts the admitted requests of each token in each clock hour (UTC). Each process adds its counts to the
 * database every few seconds and before each read, and the database sums the counts of all processes. So
 * requests cost the database nothing, and a caller sees its own requests at once.
 *
 * A failed write is retried. If the connection is lost between the server's commit and its response, those
 * counts are added twice. That is rare, and no limit depends on these counts, so no record of completed
 * writes is kept.
 */
import { and, eq, gte, sql } from "drizzle-orm"
import { accountsTable, usageHours } from "../../data/db/account-tables.ts"
import type { Database, Pool } from "../../data/db/pool/pool.ts"
import { noResponseWithin } from "../../data/db/pool/unavailable.ts"
import { settleWithin } from "../../system/text/settle-within.ts"
import { dayMs, hourMs, secondOf } from "../../system/text/time.ts"
import { type OnWriteFailure, writeInBackground } from "./background-writes.ts"

export interface UsageOptions {
  pool: Pool
  onFailure: OnWriteFailure
  writeEveryMs?: number
  /** The time limit of a read by a caller. */
  waitMs?: number
}

export type Usage = ReturnType<typeof createUsage>

/** The most counts that are kept while writes fail, some 10 MB. Beyond it the oldest are dropped. */
const maxCounts = 50_000

export function createUsage({ pool, onFailure, writeEveryMs, waitMs = 5_000 }: UsageOptions) {
  /** Unwritten counts, by account, token and hour. */
  const counts = new Map<string, CountOfAccount>()

  async function write(): Promise<void> {
    const writing = [...counts].map(([key, count]) => ({ key, count, written: { ...count } }))
    if (writing.length === 0) return
    const rows = writing.map(({ written }) => written)
    await pool.runAlone(null, (db) => addCounts(db, rows))
    for (const { key, count, written } of writing) {
      // Otherwise the count was dropped during the write, and may have begun anew.
      if (counts.get(key) !== count) continue
      count.requests -= written.requests
      if (count.requests === 0) counts.delete(key)
    }
  }

  const { afterWrite, stop } = writeInBackground({
    write,
    unwritten: () => counts.values().reduce((sum, { requests }) => sum + requests, 0),
    onFailure,
    everyMs: writeEveryMs,
  })

  /**
   * Reads that wait for the write before them, by account and time. Concurrent callers share them: a hundred
   * pages at once would otherwise wait for a hundred turns.
   */
  const waiting = new Map<string, Promise<Count[]>>()

  async function read(accountId: number, nowMs: number, firstDayMs: number): Promise<Count[]> {
    const from = { firstHourMs: firstShownHour(nowMs), firstDayMs }
    const key = `${accountId} ${from.firstHourMs} ${firstDayMs}`
    const begin = () => {
      waiting.delete(key)
      return pool.runAlone(accountId, (db) => readCounts(db, accountId, from))
    }
    const written = waiting.get(key) ?? afterWrite(begin)
    waiting.set(key, written)
    return settleWithin(waitMs, written, noResponseWithin)
  }

  return {
    /** Counts a request of an account with a token, or `withoutToken`. */
    count: (
      { accountId, tokenId }: Omit<CountOfAccount, "startMs" | "requests">,
      at: Date,
    ): void => {
      const startMs = startOfHour(at.getTime())
      const key = `${accountId} ${tokenId} ${startMs}`
      const count = counts.get(key)
      if (count) {
        count.requests++
        return
      }
      counts.set(key, { accountId, tokenId, startMs, requests: 1 })
      const [oldest] = counts.size > maxCounts ? counts.keys() : []
      if (oldest !== undefined) counts.delete(oldest)
    },

    /**
     * The last 24 clock hours, ending with the current one, each by its start as
     * `2026-01-02T03:00:00Z`. The counts of other processes are some seconds old.
     * @throws Unavailable
     */
    lastDay: async (accountId: number, at: Date) => {
      const nowMs = at.getTime()
      const hours = await read(accountId, nowMs, firstShownHour(nowMs))
      return lastHours(hours, nowMs).map(({ startMs, requests }) => ({
        hour: secondOf(new Date(startMs)),
        requests,
      }))
    },

    /**
     * The last day and the last 30 days, by token too. The counts of other processes are some seconds old.
     * @throws Unavailable
     */
    overview: async (accountId: number, at: Date) => {
      const nowMs = at.getTime()
      return usageOverview(await read(accountId, nowMs, firstShownDay(nowMs)), nowMs)
    },

    stop,
  }
}

export interface Period {
  /** The beginning of the hour or day, ms since 1970. */
  startMs: number
  requests: number
}

const shownHours = 24
const shownDays = 30

const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

const firstShownHour = (nowMs: number): number => startOfHour(nowMs) - (shownHours - 1) * hourMs

const firstShownDay = (nowMs: number): number =>
  Math.floor(nowMs / dayMs) * dayMs - (shownDays - 1) * dayMs

/** The usage of an account for its page: the last day by hour, the last 30 days by day (UTC). */
function usageOverview(counts: readonly Count[], nowMs: number) {
  const firstDayMs = firstShownDay(nowMs)
  const shown = counts.filter(({ startMs }) => startMs >= firstDayMs)
  return {
    hours: lastHours(shown, nowMs),
    /** 30 days, ending with the current one. */
    days: periods(shown, firstDayMs, { count: shownDays, lengthMs: dayMs }),
    /** The tokens with requests in this time, the most used first; one may be `withoutToken`. */
    tokens: [...Map.groupBy(shown, ({ tokenId }) => tokenId)]
      .map(([tokenId, ofToken]) => ({
        tokenId,
        lastDay: sum(ofToken.filter(({ startMs }) => startMs >= firstShownHour(nowMs))),
        last30Days: sum(ofToken),
      }))
      .sort((a, b) => b.last30Days - a.last30Days || a.tokenId - b.tokenId),
  }
}

/** 24 clock hours, ending with the current one. */
const lastHours = (counts: readonly Count[], nowMs: number): Period[] =>
  periods(counts, firstShownHour(nowMs), { count: shownHours, lengthMs: hourMs })

function periods(
  counts: readonly Count[],
  firstMs: number,
  { count, lengthMs }: { count: number; lengthMs: number },
): Period[] {
  const all = Array.from({ length: count }, (_, index) => ({
    startMs: firstMs + index * lengthMs,
    requests: 0,
  }))
  for (const { startMs, requests } of counts) {
    const period = all[Math.floor((startMs - firstMs) / lengthMs)]
    if (period) period.requests += requests
  }
  return all
}

const sum = (counts: readonly Count[]): number =>
  counts.reduce((all, { requests }) => all + requests, 0)

/** Requests with a token in a clock hour (UTC). */
interface CountOfAccount {
  accountId: number
  /** Or `withoutToken`. */
  tokenId: number
  /** The beginning of the hour, ms since 1970. */
  startMs: number
  requests: number
}

type Count = Awaited<ReturnType<typeof readCounts>>[number]

/**
 * Adds to the stored counts. Skips rows of accounts that were deleted in the meantime. All processes add in
 * the same order, which excludes deadlocks.
 */
async function addCounts(db: Database, counts: readonly CountOfAccount[]): Promise<void> {
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
function readCounts(
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

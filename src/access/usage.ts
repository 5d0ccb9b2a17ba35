/**
 * Counts the admitted requests of each token in each clock hour (UTC). Each process adds its counts
 * to the database every few seconds, where those of all processes add up.
 *
 * The usage shown to an account is the sum of what the database had some seconds ago and of what this
 * process has counted and not yet written. So frequent requests cost the database nothing, and a
 * caller sees its own requests at once. For the sum to be exact, reads and writes run one after the
 * other: a read sees all of a write or nothing of it, and a write lets go of what was read before it.
 *
 * A failed write is retried. If the connection was lost after the server had committed and before it
 * answered, those counts are added twice. That is rare, and no limit depends on these counts, so no
 * record of completed writes is kept.
 */
import type { Pool } from "../db/pool/pool.ts"
import { noAnswerWithin } from "../db/pool/unavailable.ts"
import { settleWithin } from "../text/settle-within.ts"
import { type OnWriteFailure, writeInBackground } from "./background-writes.ts"
import {
  firstShownDay,
  firstShownHour,
  lastHours,
  startOfHour,
  type UsageOverview,
  usageOverview,
} from "./usage-overview.ts"
import { addCounts, type Count, type CountOfAccount, readCounts } from "./usage-rows.ts"

export interface HourOfUse {
  /** The start of the hour, `2026-01-02T03:00:00Z`. */
  hour: string
  requests: number
}

/** The token of a request; its number is `withoutToken` for pages of the explorer. */
export type TokenOfRequest = Pick<CountOfAccount, "accountId" | "tokenId" | "forSpreadsheets">

export interface UsageOptions {
  pool: Pool
  onFailure: OnWriteFailure
  writeEveryMs?: number
  /** How long a caller waits for a read, and `stop` for the last write. */
  waitMs?: number
}

export type Usage = ReturnType<typeof createUsage>

/** Rows in one statement. */
const maxRowsPerWrite = 10_000

export function createUsage({ pool, onFailure, writeEveryMs, waitMs = 5_000 }: UsageOptions) {
  const unwritten = createCounts()
  /** What was read since the last write, by account. */
  const stored = new Map<number, Promise<Count[]>>()
  const serially = createSerialExecutor()

  async function writeCounts(): Promise<void> {
    stored.clear()
    const counted = unwritten.all()
    for (let from = 0; from < counted.length; from += maxRowsPerWrite) {
      const rows = counted.slice(from, from + maxRowsPerWrite)
      await pool.runAlone(null, (db) => addCounts(db, rows))
      for (const row of rows) unwritten.add({ ...row, requests: -row.requests })
      stored.clear()
    }
  }
  const stop = writeInBackground({
    write: () => serially(writeCounts),
    unwritten: unwritten.sum,
    onFailure,
    everyMs: writeEveryMs,
  })

  const read = (accountId: number, nowMs: number, firstDayMs: number): Promise<Count[]> =>
    serially(() =>
      pool.runAlone(accountId, (db) =>
        readCounts(db, accountId, { firstHourMs: firstShownHour(nowMs), firstDayMs }),
      ),
    )

  /** Reads the last day of an account once between two writes. Concurrent callers share the read. */
  function storedHours(accountId: number, nowMs: number): Promise<Count[]> {
    const known = stored.get(accountId)
    if (known) return known
    const hours = read(accountId, nowMs, firstShownHour(nowMs))
    stored.set(accountId, hours)
    hours.catch(() => {
      if (stored.get(accountId) === hours) stored.delete(accountId)
    })
    return hours
  }

  return {
    count: ({ accountId, tokenId, forSpreadsheets }: TokenOfRequest, at: Date): void => {
      const startMs = startOfHour(at.getTime())
      unwritten.add({ accountId, tokenId, forSpreadsheets, startMs, requests: 1 })
    },

    /**
     * The last 24 clock hours, ending with the current one. The counts of other processes are some
     * seconds old.
     * @throws Unavailable
     */
    lastDay: async (accountId: number, at: Date): Promise<HourOfUse[]> => {
      const nowMs = at.getTime()
      const hours = await settleWithin(waitMs, storedHours(accountId, nowMs), noAnswerWithin)
      return lastHours([...hours, ...unwritten.of(accountId)], nowMs).map((hour) => ({
        hour: `${new Date(hour.startMs).toISOString().slice(0, 19)}Z`,
        requests: hour.requests,
      }))
    },

    /**
     * The last day and the last 30 days, by token too. The counts of other processes are some seconds old.
     * @throws Unavailable
     */
    overview: async (accountId: number, at: Date): Promise<UsageOverview> => {
      const nowMs = at.getTime()
      const counts = await settleWithin(
        waitMs,
        read(accountId, nowMs, firstShownDay(nowMs)),
        noAnswerWithin,
      )
      return usageOverview([...counts, ...unwritten.of(accountId)], nowMs)
    },

    /** Writes the last counts, for at most `limitMs`, and stops. */
    stop: (limitMs = waitMs): Promise<void> => stop(limitMs),
  }
}

/** Returns a function that runs tasks one after the other, even if some fail. */
function createSerialExecutor(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (task) => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }
}

/** Counts of requests in memory. What can never be written is let go of once it is too old to be shown. */
function createCounts() {
  const accounts = new Map<number, CountOfAccount[]>()
  /** Copies, since the counts go on. */
  const of = (accountId: number): CountOfAccount[] =>
    (accounts.get(accountId) ?? []).map((count) => ({ ...count }))
  const all = (): CountOfAccount[] => [...accounts.keys()].flatMap(of)
  return {
    of,
    all,
    add: (added: CountOfAccount): void => {
      const { accountId, tokenId, startMs, requests } = added
      const counts = accounts.get(accountId) ?? []
      const same = counts.find((each) => each.tokenId === tokenId && each.startMs === startMs)
      if (same) same.requests += requests
      else accounts.set(accountId, [...counts.filter(isShown(startMs)), added])
      if (same?.requests !== 0) return
      const left = counts.filter((each) => each !== same)
      if (left.length > 0) accounts.set(accountId, left)
      else accounts.delete(accountId)
    },
    sum: (): number => all().reduce((sum, { requests }) => sum + requests, 0),
  }
}

const isShown = (nowMs: number) => (count: CountOfAccount) => count.startMs >= firstShownDay(nowMs)

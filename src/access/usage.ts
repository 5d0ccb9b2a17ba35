/**
 * Counts the admitted requests of each token in each clock hour (UTC). Each process adds its counts
 * to the database every few seconds, where those of all processes add up; a process that is killed
 * loses no more than those seconds.
 *
 * The usage shown to an account is the sum of what the database had some seconds ago and of what this
 * process has counted and not yet written. So frequent requests cost the database nothing, and a
 * caller sees its own requests at once. For the sum to be exact, reads and writes run one after the
 * other: a read sees all of a write or nothing of it, and written counts move from one summand to the
 * other in one step.
 *
 * A failed write is retried. If the connection was lost after the server had committed and before it
 * answered, those counts are added twice. That is rare, and no limit depends on these counts, so no
 * record of completed writes is kept.
 */
import { isRecent } from "../db/is-recent.ts"
import type { Pool } from "../db/pool/pool.ts"
import { Unavailable, within } from "../db/pool/unavailable.ts"
import { hourMs } from "../text/durations.ts"
import { createSerialExecutor } from "../text/serial-executor.ts"
import { addTo, type CountOfToken, createCounts, type Hours, startOfHour } from "./usage-counts.ts"
import {
  firstShownDay,
  firstShownHour,
  shownHours,
  type UsageOverview,
  usageOverview,
} from "./usage-overview.ts"
import {
  addCounts,
  deleteOldCounts,
  readHours,
  readUsage,
  type StoredUsage,
  tooOldToWriteMs,
} from "./usage-tables.ts"

export interface HourOfUse {
  /** The start of the hour, `2026-01-02T03:00:00Z`. */
  hour: string
  requests: number
}

export interface Usage {
  /** @param tokenId `withoutToken` for what was asked for without a token */
  count(accountId: number, tokenId: number, now: Date): void
  /**
   * The last 24 clock hours, ending with the current one. The counts of other processes are some
   * seconds old.
   * @throws Unavailable
   */
  lastDay(accountId: number, now: Date): Promise<HourOfUse[]>
  /**
   * The last day and the last 30 days, by token too. The counts of other processes are some seconds old.
   * @throws Unavailable
   */
  overview(accountId: number, now: Date): Promise<UsageOverview>
  /** Writes the last counts, for at most `limitMs`, and stops. */
  stop(limitMs?: number): Promise<void>
}

export interface UsageOptions {
  pool: Pool
  now: () => Date
  /**
   * Receives the error of a failed write, which is retried; at the stop it also receives the number of
   * requests whose counts may be lost.
   */
  onFailure: (error: unknown, lost?: { unwritten_requests: number }) => void
  writeEveryMs?: number
  /** How long a caller waits for a read, and `stop` for the last write. */
  waitMs?: number
}

/** For how long a read result is used. */
const maxAgeMs = 5_000
/** Rows in one statement. */
const maxRowsPerWrite = 10_000

export function createUsage({
  pool,
  now,
  onFailure,
  writeEveryMs = 5_000,
  waitMs = 5_000,
}: UsageOptions): Usage {
  const unwritten = createCounts()
  /** By account. */
  const stored = new Map<number, { hours: Hours; readMs: number }>()
  const reading = new Map<number, Promise<Hours>>()
  const readingOverview = new Map<number, Promise<StoredUsage>>()
  const serially = createSerialExecutor()
  let writing = false
  let lastDeletedMs = 0

  async function writeCounts(): Promise<void> {
    const counted = unwritten.all()
    for (let from = 0; from < counted.length; from += maxRowsPerWrite) {
      const rows = counted.slice(from, from + maxRowsPerWrite)
      await pool.runAlone(null, (db) => addCounts(db, rows))
      for (const row of rows) moveToStored(row)
    }
  }

  function moveToStored(row: CountOfToken): void {
    unwritten.add({ ...row, requests: -row.requests })
    const kept = stored.get(row.accountId)
    if (kept) addTo(kept.hours, row.hourMs, row.requests)
  }

  async function deleteOld(nowMs: number): Promise<void> {
    if (nowMs - lastDeletedMs < hourMs) return
    await pool.runAlone(null, () => deleteOldCounts(pool.db, nowMs))
    lastDeletedMs = nowMs
  }

  async function writeRegularly(): Promise<void> {
    const nowMs = now().getTime()
    for (const [accountId, { readMs }] of stored) {
      if (!isRecent(readMs, nowMs, maxAgeMs)) stored.delete(accountId)
    }
    if (writing) return onFailure(new Unavailable("The previous write has not ended"))
    if (unwritten.sum() === 0) return
    writing = true
    try {
      await serially(writeCounts)
      await deleteOld(nowMs)
    } catch (error) {
      // While nothing can be written, counts that are too old to be shown must not accumulate.
      unwritten.dropBefore(nowMs - tooOldToWriteMs)
      onFailure(error)
    } finally {
      writing = false
    }
  }
  const timer = setInterval(writeRegularly, writeEveryMs)

  async function readStored(accountId: number): Promise<Hours> {
    const readMs = now().getTime()
    const hours = await pool.runAlone(accountId, (db) =>
      readHours(db, accountId, firstShownHour(readMs)),
    )
    stored.set(accountId, { hours, readMs })
    return hours
  }

  /** Reads an account unless it was read recently. Concurrent callers share the read. */
  function storedHours(accountId: number, nowMs: number): Promise<Hours> {
    const kept = stored.get(accountId)
    if (kept && isRecent(kept.readMs, nowMs, maxAgeMs)) return Promise.resolve(kept.hours)
    const pending = reading.get(accountId)
    if (pending) return pending
    const hours = serially(() => readStored(accountId)).finally(() => reading.delete(accountId))
    reading.set(accountId, hours)
    return hours
  }

  /** Reads what is stored for the overview, after the writes that have begun. Concurrent callers share the read. */
  function storedUsage(accountId: number, nowMs: number): Promise<StoredUsage> {
    const pending = readingOverview.get(accountId)
    if (pending) return pending
    const first = { firstHourMs: firstShownHour(nowMs), firstDayMs: firstShownDay(nowMs) }
    const usage = serially(() =>
      pool.runAlone(null, () => readUsage(pool.db, accountId, first)),
    ).finally(() => readingOverview.delete(accountId))
    readingOverview.set(accountId, usage)
    return usage
  }

  return {
    count: (accountId, tokenId, at) =>
      unwritten.add({ accountId, tokenId, hourMs: startOfHour(at.getTime()), requests: 1 }),

    lastDay: async (accountId, at) => {
      const written = await within(waitMs, storedHours(accountId, at.getTime()))
      const firstMs = firstShownHour(at.getTime())
      return Array.from({ length: shownHours }, (_, index) => {
        const startMs = firstMs + index * hourMs
        return {
          hour: `${new Date(startMs).toISOString().slice(0, 19)}Z`,
          requests: (written.get(startMs) ?? 0) + unwritten.inHour(accountId, startMs),
        }
      })
    },

    overview: async (accountId, at) => {
      const written = await within(waitMs, storedUsage(accountId, at.getTime()))
      return usageOverview(written, unwritten.of(accountId), at.getTime())
    },

    stop: async (limitMs = waitMs) => {
      clearInterval(timer)
      await within(limitMs, serially(writeCounts)).catch((error: unknown) => {
        onFailure(error, { unwritten_requests: unwritten.sum() })
      })
    },
  }
}

/**
 * How many requests each account made in each clock hour (UTC), counted when they are admitted. Each
 * process adds what it counted to the database every few seconds, so that all are added up there; one
 * that is killed loses no more than those seconds.
 *
 * An account is told the sum of what the database had some seconds ago and of what this process has
 * counted and not yet written. So asking often costs the database nothing, and a caller sees its own
 * requests at once. For the sum to be exact, reads and writes take turns: a read has all of a write or
 * nothing of it, and what was written moves from the one summand to the other in one step.
 */
import { createBatchedReads } from "../db/pool/batched-reads.ts"
import { runToCompletion, within } from "../db/pool/deadlines.ts"
import type { Pool } from "../db/pool/pool.ts"
import { createSerialExecutor } from "../db/pool/serial-executor.ts"
import { Unavailable } from "../db/pool/unavailable.ts"
import { addHours, deleteHours, type HourOfAccount, type Hours, readHours } from "./usage-hours.ts"

export interface HourOfUse {
  /** Its beginning, `2026-01-02T03:00:00Z`. */
  hour: string
  requests: number
}

export interface Usage {
  count(accountId: number, now: Date): void
  /** The last 24 clock hours, the one under way last; what other processes counted is some seconds old. @throws Unavailable */
  lastDay(accountId: number, now: Date): Promise<HourOfUse[]>
  /** Writes what was counted, where the database takes it in time, and writes no more. */
  stop(): Promise<void>
}

export interface UsageOptions {
  pool: Pool
  now: () => Date
  /** Told why counts could not be written; they are tried again. */
  onFailure: (error: unknown) => void
  writeEveryMs?: number
  /** How long a caller waits for what is read, and `stop` for what is written. */
  waitMs?: number
}

const hourMs = 3_600_000
const shownHours = 24
const keptMs = 48 * hourMs
/** An account is read no more often. */
const readEveryMs = 5_000
/** Of accounts and hours in one statement. */
const writtenAtOnce = 10_000

export function createUsage({
  pool,
  now,
  onFailure,
  writeEveryMs = 5_000,
  waitMs = 5_000,
}: UsageOptions): Usage {
  /** By account. */
  const unwritten = new Map<number, Hours>()
  const stored = new Map<number, { hours: Hours; readMs: number }>()
  const reading = new Map<number, Promise<Hours | undefined>>()
  const serially = createSerialExecutor()
  let writing = false
  let deletedMs = 0

  async function writeCounted(): Promise<void> {
    const counted = [...unwritten].flatMap(([accountId, hours]) =>
      [...hours].map(([hourMs, requests]): HourOfAccount => ({ accountId, hourMs, requests })),
    )
    for (let from = 0; from < counted.length; from += writtenAtOnce) {
      const rows = counted.slice(from, from + writtenAtOnce)
      await runToCompletion(pool, () => addHours(pool.db, rows))
      for (const row of rows) moveToStored(row)
    }
  }

  function moveToStored({ accountId, hourMs, requests }: HourOfAccount): void {
    const hours = unwritten.get(accountId)
    if (hours) add(hours, hourMs, -requests)
    if (hours?.size === 0) unwritten.delete(accountId)
    const kept = stored.get(accountId)
    if (kept) add(kept.hours, hourMs, requests)
  }

  /** Where nothing can ever be written, what is not shown any more must not pile up. */
  function forgetUnshown(nowMs: number): void {
    for (const [accountId, hours] of unwritten) {
      for (const hourMs of hours.keys()) if (hourMs < nowMs - keptMs) hours.delete(hourMs)
      if (hours.size === 0) unwritten.delete(accountId)
    }
  }

  async function deleteOld(nowMs: number): Promise<void> {
    if (nowMs - deletedMs < hourMs) return
    await pool.run(() => deleteHours(pool.db, nowMs - keptMs))
    deletedMs = nowMs
  }

  async function writeRegularly(): Promise<void> {
    const nowMs = now().getTime()
    for (const [accountId, { readMs }] of stored) {
      if (!isRecent(readMs, nowMs)) stored.delete(accountId)
    }
    if (writing) return onFailure(new Unavailable("The write before has not ended"))
    if (unwritten.size === 0) return
    writing = true
    try {
      await serially(writeCounted)
      await deleteOld(nowMs)
    } catch (error) {
      forgetUnshown(nowMs)
      onFailure(error)
    } finally {
      writing = false
    }
  }
  const timer = setInterval(writeRegularly, writeEveryMs)

  const readStored = createBatchedReads(
    (statement) => serially(() => pool.run(statement)),
    async (accountIds: readonly number[]) => {
      const readMs = now().getTime()
      const found = await readHours(pool.db, accountIds, firstShownMs(readMs))
      for (const [accountId, hours] of found) stored.set(accountId, { hours, readMs })
      return found
    },
  )

  /** Reads an account where what is known of it is old; callers at once share the read. */
  function storedHours(accountId: number, nowMs: number): Promise<Hours | undefined> {
    const kept = stored.get(accountId)
    if (kept && isRecent(kept.readMs, nowMs)) return Promise.resolve(kept.hours)
    const underWay = reading.get(accountId)
    if (underWay) return underWay
    const hours = readStored(accountId).finally(() => reading.delete(accountId))
    reading.set(accountId, hours)
    return hours
  }

  return {
    count: (accountId, at) => {
      const hours = unwritten.get(accountId) ?? new Map()
      add(hours, startOfHour(at.getTime()), 1)
      unwritten.set(accountId, hours)
    },

    lastDay: async (accountId, at) => {
      const written = await within(waitMs, storedHours(accountId, at.getTime()))
      const counted = unwritten.get(accountId)
      const firstMs = firstShownMs(at.getTime())
      return Array.from({ length: shownHours }, (_, index) => {
        const startMs = firstMs + index * hourMs
        return {
          hour: `${new Date(startMs).toISOString().slice(0, 19)}Z`,
          requests: (written?.get(startMs) ?? 0) + (counted?.get(startMs) ?? 0),
        }
      })
    },

    stop: async () => {
      clearInterval(timer)
      await within(waitMs, serially(writeCounted)).catch(onFailure)
    },
  }
}

const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

const firstShownMs = (nowMs: number): number => startOfHour(nowMs) - (shownHours - 1) * hourMs

/** Either way, for a clock may be set back. */
const isRecent = (readMs: number, nowMs: number): boolean => Math.abs(nowMs - readMs) < readEveryMs

function add(hours: Hours, startMs: number, requests: number): void {
  const sum = (hours.get(startMs) ?? 0) + requests
  if (sum === 0) hours.delete(startMs)
  else hours.set(startMs, sum)
}

/**
 * The last requests of each account, so that a person can find why one failed.
 *
 * A process keeps those that it has answered in a ring for each account, and adds them to the database
 * every few seconds. A read merges both by the request's id, so that a person sees a request at once
 * and never twice. Requests only write to memory: they neither wait for the database nor fail with it.
 *
 * The rings have a budget in bytes together. Beyond it, the ring of the account that has been quiet
 * longest is dropped.
 */

import type { Pool } from "../db/pool/pool.ts"
import { Unavailable, within } from "../db/pool/unavailable.ts"
import { hourMs } from "../text/durations.ts"
import {
  addRequests,
  deleteOldRequests,
  keptRequests,
  type RecentRequest,
  type RequestOfAccount,
  readRequests,
} from "./recent-request-rows.ts"
import { createRings, type Rings } from "./request-rings.ts"

export type { RecentRequest } from "./recent-request-rows.ts"

export interface RecentRequests {
  record(accountId: number, request: RecentRequest): void
  /**
   * The last hundred of an account, the newest first. Those of other processes are some seconds old.
   * @throws Unavailable
   */
  last(accountId: number): Promise<RecentRequest[]>
  /** Writes the last requests, for at most `limitMs`, and stops. */
  stop(limitMs?: number): Promise<void>
}

export interface RecentRequestsOptions {
  pool: Pool
  now: () => Date
  /** Receives the error of a failed write; and how many requests will not be shown because of it. */
  onFailure: (error: unknown, lost?: { unwritten_requests: number }) => void
  maxBytes?: number
  writeEveryMs?: number
  /** How long `stop` waits for the last write. */
  waitMs?: number
}

/** Rows in one statement, which take about a tenth of a second. */
const maxRowsPerWrite = 2_000

export function createRecentRequests({
  pool,
  now,
  onFailure,
  maxBytes = 8 * 1024 * 1024,
  writeEveryMs = 5_000,
  waitMs = 5_000,
}: RecentRequestsOptions): RecentRequests {
  let unwritten: Rings = createRings(maxBytes)
  /** The requests of the write that is running. */
  let writing: RequestOfAccount[] = []
  let running: Promise<void> | undefined
  let lastDeletedMs = 0

  /**
   * One write at a time. What could not be written because the database is away is tried again, unless
   * this is the last attempt.
   */
  async function write(isLast = false): Promise<void> {
    reportDropped(unwritten.takeDropped())
    writing = unwritten.all()
    unwritten = createRings(maxBytes)
    try {
      while (writing.length > 0) {
        const rows = writing.slice(0, maxRowsPerWrite)
        await pool.runAlone(null, () => addRequests(pool.db, rows))
        writing = writing.slice(rows.length)
        await deleteOld(now().getTime())
      }
    } catch (error) {
      // For any other reason, the same rows would fail again.
      if (error instanceof Unavailable && !isLast) {
        unwritten = restored()
        onFailure(error)
      } else {
        onFailure(error, { unwritten_requests: writing.length })
      }
    } finally {
      writing = []
    }
  }

  /** What was not written, and after it what came in the meantime. */
  function restored(): Rings {
    const rings = createRings(maxBytes)
    for (const { accountId, ...request } of [...writing, ...unwritten.all()]) {
      rings.add(accountId, request)
    }
    return rings
  }

  function reportDropped(dropped: number): void {
    if (dropped === 0) return
    const message = `The recent requests of all accounts take more than ${maxBytes} bytes`
    onFailure(new Error(message), { unwritten_requests: dropped })
  }

  async function writeRegularly(): Promise<void> {
    if (running) return
    running = write()
    await running
    running = undefined
  }

  async function deleteOld(nowMs: number): Promise<void> {
    if (nowMs - lastDeletedMs < hourMs) return
    await pool.runAlone(null, () => deleteOldRequests(pool.db, nowMs))
    lastDeletedMs = nowMs
  }
  const timer = setInterval(writeRegularly, writeEveryMs)

  return {
    record: (accountId, request) => unwritten.add(accountId, request),

    last: async (accountId) => {
      const ours = () => [
        ...unwritten.of(accountId),
        ...writing.flatMap(({ accountId: of, ...request }) => (of === accountId ? [request] : [])),
      ]
      // What is written while this reads is in one of the two, and may be in both.
      const before = ours()
      const stored = await pool.runAlone(accountId, (db) => readRequests(db, accountId))
      return newest([...stored, ...before, ...ours()])
    },

    stop: async (limitMs = waitMs) => {
      clearInterval(timer)
      const lastWrite = Promise.resolve(running).then(() => write(true))
      await within(limitMs, lastWrite).catch((error: unknown) => {
        onFailure(error, { unwritten_requests: writing.length + unwritten.size })
      })
    },
  }
}

function newest(requests: readonly RecentRequest[]): RecentRequest[] {
  const byId = new Map(requests.map((request) => [request.requestId, request]))
  return [...byId.values()]
    .sort((a, b) => b.atMs - a.atMs || (a.requestId < b.requestId ? 1 : -1))
    .slice(0, keptRequests)
}

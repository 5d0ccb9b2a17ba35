/**
 * The last requests of each account, so that a person can see why a request failed.
 *
 * A process keeps its requests in memory until it has added them to the database, and no more of each account
 * than the page shows. It adds them before a read, so that a person sees a request at once.
 *
 * Beyond a budget of bytes, the least recently active account loses its requests.
 */
import type { Pool } from "../db/pool/pool.ts"
import { Unavailable } from "../db/pool/unavailable.ts"
import { type OnWriteFailure, writeInBackground } from "./background-writes.ts"
import {
  addRequests,
  maxStoredRequests,
  type RecentRequest,
  type RequestsOfAccount,
  readRequests,
} from "./recent-request-rows.ts"

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
  let dropped = 0
  /** Accounts from the least to the most recently active; the requests of each, oldest first. */
  const unwritten = new Map<number, RecentRequest[]>()
  let bytes = 0

  /** Requests stay in memory only while the database is unavailable: any other failure would repeat. */
  async function write(): Promise<void> {
    reportDropped()
    const added = [...unwritten].map(([accountId, requests]) => ({
      accountId,
      requests: [...requests],
    }))
    if (added.length === 0) return
    await pool
      .runAlone(null, (db) => addRequests(db, added))
      .catch((error: unknown) => {
        if (error instanceof Unavailable) throw error
        onFailure(error, { unwritten_requests: countOf(added) })
      })
    added.forEach(forget)
  }

  function forget({ accountId, requests }: RequestsOfAccount): void {
    const written = new Set(requests)
    const left = unwritten.get(accountId)?.filter((each) => !written.has(each)) ?? []
    bytes += bytesOf(left) - bytesOf(unwritten.get(accountId) ?? [])
    if (left.length > 0) unwritten.set(accountId, left)
    else unwritten.delete(accountId)
  }

  function dropQuietest(): void {
    const [quietest] = unwritten
    if (!quietest) return
    const [accountId, requests] = quietest
    dropped += requests.length
    forget({ accountId, requests })
  }

  function reportDropped(): void {
    if (dropped === 0) return
    const message = `The recent requests of all accounts take more than ${maxBytes} bytes`
    onFailure(new Error(message), { unwritten_requests: dropped })
    dropped = 0
  }

  const { afterWrite, stop } = writeInBackground({
    write,
    unwritten: () => unwritten.values().reduce((sum, { length }) => sum + length, 0),
    onFailure,
    everyMs: writeEveryMs,
  })

  return {
    record: (accountId: number, request: RecentRequest): void => {
      const requests = unwritten.get(accountId) ?? []
      requests.push(request)
      const beyond = requests.length > maxStoredRequests ? requests.splice(0, 1) : []
      unwritten.delete(accountId)
      unwritten.set(accountId, requests)
      bytes += bytesOf([request]) - bytesOf(beyond)
      while (bytes > maxBytes) dropQuietest()
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

const bytesOf = (requests: readonly RecentRequest[]): number =>
  requests.reduce((sum, { target }) => sum + requestBytes + charBytes * target.length, 0)

const countOf = (all: readonly Pick<RequestsOfAccount, "requests">[]): number =>
  all.reduce((sum, { requests }) => sum + requests.length, 0)

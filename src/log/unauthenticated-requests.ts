/**
 * Requests without a valid token: all are counted, and the first of each minute are logged. One line
 * summarizes the rest of the minute, so that no client can flood the log without a token.
 */
import type { Log } from "./log.ts"

export interface UnauthenticatedRequests {
  /** Counts a request. Returns whether it should be logged. */
  count(status: number): boolean
  /** Whether another line about a request, such as its error, should be logged. */
  mayLog(): boolean
  /** The number of requests by status. */
  totals(): Record<string, number>
  /** Ends the current period and logs its summary. */
  stop(): void
}

interface UnauthenticatedOptions {
  log: Log
  linesPerPeriod?: number
  periodMs?: number
}

export function countUnauthenticated({
  log,
  linesPerPeriod = 100,
  periodMs = 60_000,
}: UnauthenticatedOptions): UnauthenticatedRequests {
  const totals: Record<string, number> = { 401: 0, 429: 0 }
  let unlogged: Record<string, number> = {}
  let logged = 0
  let timer: Timer | undefined

  function endPeriod(): void {
    clearTimeout(timer)
    timer = undefined
    logged = 0
    if (Object.keys(unlogged).length > 0) {
      log.warn("unauthenticated requests not logged", { by_status: unlogged })
    }
    unlogged = {}
  }

  function mayLog(): boolean {
    timer ??= setTimeout(endPeriod, periodMs)
    if (logged >= linesPerPeriod) return false
    logged++
    return true
  }

  return {
    count: (status) => {
      totals[status] = (totals[status] ?? 0) + 1
      if (mayLog()) return true
      unlogged[status] = (unlogged[status] ?? 0) + 1
      return false
    },
    mayLog,
    totals: () => totals,
    stop: endPeriod,
  }
}

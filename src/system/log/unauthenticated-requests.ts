/**
 * Requests without a valid token: all are counted, and the first of each minute are logged. One line
 * summarizes the rest of the minute. So no client without a token can flood the log.
 */
import type { Log } from "./log.ts"

export type UnauthenticatedRequests = ReturnType<typeof countUnauthenticated>

export function countUnauthenticated(log: Log, linesPerPeriod = 100, periodMs = 60_000) {
  const totals: Record<string, number> = { 401: 0, 429: 0 }
  let unlogged: Record<string, number> = {}
  let logged = 0
  let timer: Timer | undefined

  /** Logs the summary of the current period. */
  function endPeriod(): void {
    clearTimeout(timer)
    timer = undefined
    logged = 0
    if (Object.keys(unlogged).length > 0) {
      log.warn("unauthenticated requests not logged", { by_status: unlogged })
    }
    unlogged = {}
  }

  /** Whether another line about a request, such as its error, should be logged. */
  function mayLog(): boolean {
    timer ??= setTimeout(endPeriod, periodMs)
    if (logged >= linesPerPeriod) return false
    logged++
    return true
  }

  return {
    /** Counts a request. Returns whether it should be logged. */
    count: (status: number): boolean => {
      totals[status] = (totals[status] ?? 0) + 1
      if (mayLog()) return true
      unlogged[status] = (unlogged[status] ?? 0) + 1
      return false
    },
    mayLog,
    /** The number of requests by status. */
    totals: () => totals,
    stop: endPeriod,
  }
}

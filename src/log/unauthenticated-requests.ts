/**
 * Requests without a valid token: all are counted, and the first ones of each minute are logged. The
 * rest of the minute is told in one line, so that no caller can fill the log without a token.
 */
import type { Log } from "./log.ts"

export interface UnauthenticatedRequests {
  /** Counts a request. Tells whether its line should be logged. */
  count(status: number): boolean
  /** How many there were of each status. */
  totals(): Record<string, number>
  /** Ends the current period: reports what it left unlogged. */
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

  return {
    count: (status) => {
      totals[status] = (totals[status] ?? 0) + 1
      timer ??= setTimeout(endPeriod, periodMs)
      if (logged < linesPerPeriod) {
        logged++
        return true
      }
      unlogged[status] = (unlogged[status] ?? 0) + 1
      return false
    },
    totals: () => totals,
    stop: endPeriod,
  }
}

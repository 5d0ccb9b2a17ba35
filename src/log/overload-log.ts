/** Logs the rejected requests of overloaded accounts: one line a second for each account, with their number. */
import type { Log } from "./log.ts"

export type OverloadLog = ReturnType<typeof createOverloadLog>

const periodMs = 1_000

export function createOverloadLog(log: Pick<Log, "warn">) {
  /** Of the current period, by account. */
  const rejected = new Map<number, { requests: number; reason: string }>()
  let timer: Timer | undefined

  function endPeriod(): void {
    clearTimeout(timer)
    timer = undefined
    for (const [accountId, counted] of rejected) {
      log.warn("requests rejected", { "mds.account": accountId || undefined, ...counted })
    }
    rejected.clear()
  }

  return {
    /** Counts a request. @param accountId 0 for clients without an account */
    count: (accountId: number, reason: string): void => {
      timer ??= setTimeout(endPeriod, periodMs)
      const requests = (rejected.get(accountId)?.requests ?? 0) + 1
      rejected.set(accountId, { requests, reason })
    },
    stop: endPeriod,
  }
}

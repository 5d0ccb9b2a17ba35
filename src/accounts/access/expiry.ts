/** Deletes expired sessions, links and records of use. */
import { and, lt, lte, sql } from "drizzle-orm"
import { accessChanges, recentRequests, usageHours } from "../../data/db/account-tables.ts"
import { deliveries } from "../../data/db/alert-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { sessions, signInLinks } from "../../data/db/sign-in-tables.ts"
import { dayMs, hourMs } from "../../system/text/time.ts"
import { attribute } from "./change.ts"
import { isExpired } from "./sessions.ts"

/** The time for which the audit log keeps the beginning and end of a session. */
const auditRetentionMs = 400 * dayMs
const usageRetentionMs = 31 * dayMs
/** Also of deliveries to watches. */
const requestRetentionMs = 30 * dayMs

/** @throws Unavailable */
export const deleteExpired = (pool: Pool, now: Date): Promise<void> =>
  pool.runAlone(null, (db) =>
    db.transaction(async (tx) => {
      const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
      await attribute(tx, { who: "the service", origin: "expiry" })
      await tx.delete(sessions).where(isExpired(now))
      await tx.delete(signInLinks).where(lt(signInLinks.expires_at, before(0)))
      const ofSessions = sql`${accessChanges.columns} ? 'signed_in_at'`
      await tx
        .delete(accessChanges)
        .where(and(ofSessions, lte(accessChanges.at, before(auditRetentionMs))))
      await tx.delete(usageHours).where(lt(usageHours.hour, before(usageRetentionMs)))
      await tx.delete(deliveries).where(lt(deliveries.at, before(requestRetentionMs)))
      await tx.delete(recentRequests).where(lt(recentRequests.at, before(requestRetentionMs)))
    }),
  )

export interface ExpiryOptions {
  pool: Pool
  now: () => Date
  onFailure: (error: unknown) => void
  /** The delay of the first run: a process may stop within an hour. */
  firstMs?: number
}

/** Runs it each hour. @returns the function that stops it */
export function deleteRegularly({ pool, now, onFailure, firstMs = 10_000 }: ExpiryOptions) {
  const run = () => deleteExpired(pool, now()).catch(onFailure)
  const first = setTimeout(run, firstMs)
  const timer = setInterval(run, hourMs)
  return () => {
    clearTimeout(first)
    clearInterval(timer)
  }
}

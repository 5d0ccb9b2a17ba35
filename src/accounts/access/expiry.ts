/** Deletes expired sessions, links and records of use. */
import { and, lt, lte, type SQL, sql } from "drizzle-orm"
import type { PgTable } from "drizzle-orm/pg-core"
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

/**
 * Each deletion ends before the next one: a session that waits for all tables, as a migration may, would
 * otherwise be in a deadlock with them.
 *
 * @throws Unavailable
 */
export async function deleteExpired(pool: Pool, now: Date): Promise<void> {
  const before = (ms: number) => new Date(now.getTime() - ms).toISOString()
  await pool.runAlone(null, (db) =>
    db.transaction(async (tx) => {
      await attribute(tx, { who: "the service", origin: "expiry" })
      await tx.delete(sessions).where(isExpired(now))
    }),
  )
  const ofSessions = sql`${accessChanges.columns} ? 'signed_in_at'`
  const remove = (table: PgTable, isOld: SQL | undefined) =>
    pool.runAlone(null, (db) => db.delete(table).where(isOld))
  await remove(signInLinks, lt(signInLinks.expires_at, before(0)))
  await remove(accessChanges, and(ofSessions, lte(accessChanges.at, before(auditRetentionMs))))
  await remove(usageHours, lt(usageHours.hour, before(usageRetentionMs)))
  await remove(deliveries, lt(deliveries.at, before(requestRetentionMs)))
  await remove(recentRequests, lt(recentRequests.at, before(requestRetentionMs)))
}

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

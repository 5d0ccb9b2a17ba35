/**
 * Exclusive locks on tables that are being read.
 *
 * PostgreSQL grants locks in the order in which they were requested: one that waits for a reader holds
 * up every reader that comes after it. So it waits only briefly, gives up all that it has, lets the
 * readers pass and tries again.
 */
import type { TransactionSql } from "postgres"
import { codeOf } from "../text/error-code.ts"

/** Below `deadlock_timeout`, a second by default, at which PostgreSQL may end a reader instead. */
const briefMs = 500
/** Above it: PostgreSQL then cancels an autovacuum that is in the way. Every fifth attempt waits so long. */
const longMs = 2_000
const pauseMs = 500

/** A lock was not granted in time, or a reader would have waited for this transaction in return. */
export const isLockFailure = (error: unknown): boolean => ["55P03", "40P01"].includes(codeOf(error))

/**
 * Repeats an attempt that fails because it does not get its locks.
 * @param limitMs how long to try in all
 * @param attempt receives for how long it may wait for a lock
 * @throws the last attempt's error
 */
export async function retryLocks<T>(
  limitMs: number,
  attempt: (waitMs: number) => Promise<T>,
): Promise<T> {
  const deadlineMs = performance.now() + limitMs
  for (let attempts = 1; ; attempts++) {
    const leftMs = Math.ceil(deadlineMs - performance.now())
    const waitMs = Math.max(1, Math.min(attempts % 5 === 0 ? longMs : briefMs, leftMs))
    try {
      return await attempt(waitMs)
    } catch (error) {
      if (!isLockFailure(error) || performance.now() >= deadlineMs) throw error
      await Bun.sleep(Math.min(pauseMs, Math.max(0, deadlineMs - performance.now())))
    }
  }
}

/** The same within a transaction, which keeps the locks that it had before. */
export const lockBriefly = <T>(
  sql: TransactionSql,
  limitMs: number,
  lock: (sql: TransactionSql) => Promise<T>,
): Promise<T> =>
  retryLocks(limitMs, async (waitMs) => {
    const { locked } = await sql.savepoint(async (nested) => {
      await nested.unsafe(`set local lock_timeout = ${waitMs}`)
      return { locked: await lock(nested) }
    })
    await sql.unsafe("set local lock_timeout = 0")
    return locked
  })

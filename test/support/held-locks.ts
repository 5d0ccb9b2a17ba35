/** A lock of a test's own, for which the statements of others wait. */
import type postgres from "postgres"

/**
 * Takes a lock by a statement, in a transaction of its own. Ends with `await using`, or earlier by `release`.
 * @param statement "lock table reports in access exclusive mode"
 */
export async function holdLock(sql: postgres.Sql, statement: string) {
  const connection = await sql.reserve()
  await connection.unsafe("begin")
  await connection.unsafe(statement)
  let isHeld = true
  const release = async (): Promise<void> => {
    if (!isHeld) return
    isHeld = false
    await connection.unsafe("rollback")
    connection.release()
  }
  /** Runs statements in its transaction. */
  const run = (statements: string) => connection.unsafe(statements)
  /** Whether another session waits for its locks. */
  const isAwaited = async (): Promise<boolean> => {
    // Not from pg_stat_activity, which stays the same within a transaction.
    const waiting = await connection`select from pg_locks
      where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))`
    return waiting.length > 0
  }
  return { run, isAwaited, release, [Symbol.asyncDispose]: release }
}

import { withConnection } from "../db/connection.ts"

/** The first key of the advisory locks; the second is a hash of the source's name. */
const fetchingLocks = 714_023_301

/**
 * Runs `work` while no other process fetches the source. The lock belongs to a transaction, so it holds
 * behind a pooler too, and ends with the process; the transaction does nothing else, and so holds up no
 * vacuum.
 * @returns the result in an object, or null where another process has the lock
 */
export async function withFetchLock<T>(
  databaseUrl: string,
  source: string,
  work: () => Promise<T>,
): Promise<{ value: T } | null> {
  let done: { value: T } | null = null
  try {
    await withConnection(databaseUrl, (client) =>
      client.begin(async (sql) => {
        await sql.unsafe("set local idle_in_transaction_session_timeout = 0")
        const [row] = await sql`
          select pg_try_advisory_xact_lock(${fetchingLocks}, hashtext(${source})) as taken`
        if (row?.taken) done = { value: await work() }
      }),
    )
  } catch (error) {
    // A connection that is lost after the work does not undo it.
    if (done === null) throw error
  }
  return done
}

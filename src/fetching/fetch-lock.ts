import { withConnection } from "../db/connection.ts"
import { LoadError } from "../loading/load-error.ts"

/** The first key of the advisory locks; the second is a hash of the source's name. */
const fetchingLocks = 714_023_301

/**
 * Runs `work` while no other process fetches the source. The lock belongs to a transaction, so it holds
 * behind a pooler too, and ends with the process; the transaction does nothing else, and so holds up no
 * vacuum. When its connection is lost, so is the lock: then `lost` fires, with a LoadError as its reason,
 * and `work` is awaited even so, because what it has done by then stands.
 * @returns the result in an object, or null where another process has the lock
 */
export async function withFetchLock<T>(
  databaseUrl: string,
  source: string,
  work: (lost: AbortSignal) => Promise<T>,
): Promise<{ value: T } | null> {
  const losing = new AbortController()
  return withConnection(databaseUrl, async (client) => {
    let working: Promise<T> | null = null
    try {
      await client.begin(async (sql) => {
        await sql.unsafe("set local idle_in_transaction_session_timeout = 0")
        const [row] = await sql`
          select pg_try_advisory_xact_lock(${fetchingLocks}, hashtext(${source})) as taken`
        if (!row?.taken) return
        working = work(losing.signal)
        await working
      })
    } catch (error) {
      if (working === null) throw error
      // Of no effect where it is the work that has failed.
      losing.abort(lostError(source, error))
    }
    return working && { value: await working }
  })
}

const lostError = (source: string, cause: unknown) =>
  new LoadError(
    `Cannot go on fetching ${source}: the database connection that keeps other processes from it was lost`,
    { cause },
  )

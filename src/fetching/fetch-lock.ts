import { type Connection, withConnection } from "../db/connection.ts"

/** The first key of the advisory locks; the second is a hash of the source's name. */
const fetchingLocks = 714_023_301

/**
 * Runs `work` while no other process fetches the source. The lock ends with its connection, which `work`
 * may use. Should that be lost, another fetch may begin: both load the same files, and the second load
 * publishes nothing.
 * @returns null where another process has the lock
 */
export const withFetchLock = <T>(
  databaseUrl: string,
  source: string,
  work: (sql: Connection) => Promise<T>,
): Promise<T | null> =>
  withConnection(databaseUrl, async (sql) => {
    const [row] = await sql<{ taken: boolean }[]>`
      select pg_try_advisory_lock(${fetchingLocks}, hashtext(${source})) as taken`
    return row?.taken ? work(sql) : null
  })

import postgres, { type Options, type Sql, type TransactionSql } from "postgres"

/** The driver's options; its types lack `onnotify`. */
export type ConnectionOptions = Options<Record<never, never>> & {
  onnotify?: (channel: string, payload: string) => void
}

/** A client with a single connection. */
export type Connection = Sql

/** A client with a single connection, which is never recycled. The caller ends it. */
export function singleConnection(url: string, options: ConnectionOptions = {}): Sql {
  const chosen: ConnectionOptions = {
    max: 1,
    connect_timeout: 5,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
    ...options,
  }
  return postgres(url, chosen)
}

/** The connection has no session of its own at the server. */
export class NoSession extends Error {
  override readonly name = "NoSession"
}

/**
 * For LISTEN, which belongs to a session. A pooler answers the login itself, with a process id of its
 * own making.
 * @throws NoSession
 */
export async function ensureSession(client: Sql): Promise<void> {
  const answered = await client<{ pid: number }[]>`select pg_backend_pid() as pid`
  if (answered.state.pid === answered[0]?.pid) return
  throw new NoSession(
    "LISTEN has no effect through a connection pooler: set DATABASE_DIRECT_URL to the database's own address",
  )
}

/**
 * Runs `work` on a connection of its own, for work that needs a single session, such as a load. The
 * connection is always closed.
 * @param url of the database: `postgres://…`
 */
export async function withConnection<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
  options?: ConnectionOptions,
): Promise<T> {
  const client = singleConnection(url, options)
  try {
    return await work(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** Runs statements that read one state of the database, on a connection of their own. */
export const withSnapshot = async <T>(
  url: string,
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> => {
  // In an object, as `begin` would await every promise of an array.
  const { result } = await withConnection(url, (client) =>
    client.begin("isolation level repeatable read read only", async (sql) => ({
      result: await work(sql),
    })),
  )
  return result
}

/**
 * The time by the database's clock, for what processes on several hosts record and compare: one whose own
 * clock is wrong would keep the others waiting.
 * @param url of the database, which is asked once
 */
export const databaseClock = (url: string): Promise<() => Date> =>
  withConnection(url, async (sql) => {
    const [row] = await sql<{ ms: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
    if (!row) throw new Error("A query for the time returned no row")
    const readAt = performance.now()
    return () => new Date(row.ms + performance.now() - readAt)
  })

import postgres, { type Options, type Sql, type TransactionSql } from "postgres"

/** The driver's options; its types lack these two. */
export type ConnectionOptions = Options<Record<never, never>> & {
  max_pipeline?: number
  onnotify?: (channel: string, payload: string) => void
}

/**
 * Returns a client that sends a statement when its connection has finished the one before. The driver mixes up
 * the rows and errors of statements that it sends earlier.
 */
export function createClient(url: string, options: ConnectionOptions): Sql {
  const chosen: ConnectionOptions = {
    max_pipeline: 0,
    fetch_types: false,
    onnotice: () => {},
    ...options,
  }
  return postgres(url, chosen)
}

/** A client with a single connection. */
export type Connection = Sql

/** Returns a client with a single connection, which the driver never recycles. The caller ends it. */
export const singleConnection = (url: string, options: ConnectionOptions = {}): Sql =>
  createClient(url, { max: 1, connect_timeout: 5, max_lifetime: null, ...options })

/**
 * Rejects a connection through a pooler, where LISTEN has no effect. A pooler handles the login itself, with
 * a made-up process id.
 * @throws Error with the remedy
 */
export async function ensureSession(client: Sql): Promise<void> {
  const backend = await client<{ pid: number }[]>`select pg_backend_pid() as pid`
  if (backend.state.pid === backend[0]?.pid) return
  throw new Error(
    "LISTEN has no effect through a connection pooler: set DATABASE_DIRECT_URL to the database's own address",
  )
}

/**
 * Runs `work` on a connection of its own, for work that needs a single session, such as a load. Always closes
 * the connection.
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

/** Runs statements in one read-only snapshot, on a connection of their own. */
export const withSnapshot = async <T>(
  url: string,
  work: (sql: TransactionSql) => Promise<T>,
): Promise<T> => {
  // In an object, because `begin` awaits every promise of an array.
  const { result } = await withConnection(url, (client) =>
    client.begin("isolation level repeatable read read only", async (sql) => ({
      result: await work(sql),
    })),
  )
  return result
}

/**
 * Returns the database's clock, for times that processes on several hosts compare.
 * @param url of the database, which is queried once
 */
export const databaseClock = (url: string): Promise<() => Date> =>
  withConnection(url, async (sql) => {
    const [row] = await sql<{ ms: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
    if (!row) throw new Error("A query for the time returned no row")
    const readAt = performance.now()
    return () => new Date(row.ms + performance.now() - readAt)
  })

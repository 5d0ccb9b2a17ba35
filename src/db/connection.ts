import postgres, { type Options, type Sql } from "postgres"

/** What else a connection of its own can have; `onnotify` is the driver's, and missing in its types. */
export type ConnectionOptions = Options<Record<never, never>> & {
  onnotify?: (channel: string, payload: string) => void
}

/** A client of one connection, which may be as old as the work on it is long. The caller ends it. */
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

/**
 * Runs `work` on one connection of its own, for what is one session's: a migration, a load. The
 * connection is closed whatever happens.
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

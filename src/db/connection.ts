import postgres, { type Sql } from "postgres"

/**
 * Runs `work` on one connection of its own, for what is one session's: a migration, a load. The
 * connection is closed whatever happens. It may be as old as the work is long.
 * @param url of the database: `postgres://…`
 */
export async function withConnection<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
): Promise<T> {
  const client = postgres(url, {
    max: 1,
    connect_timeout: 5,
    max_lifetime: null,
    fetch_types: false,
    onnotice: () => {},
  })
  try {
    return await work(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

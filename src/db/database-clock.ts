import { withConnection } from "./connection.ts"

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

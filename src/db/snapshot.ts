import type { TransactionSql } from "postgres"
import { withConnection } from "./connection.ts"

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

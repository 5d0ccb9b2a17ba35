/**
 * A client whose connections can be replaced by new ones. Where the other end of a connection has
 * silently disappeared, as in a failover, the system notices only after many minutes, and the
 * driver waits that long.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import type { Sql } from "postgres"

export type Database = PostgresJsDatabase & { $client: Sql }

export interface ReplaceableClient {
  /** Sends each statement through the client in use, prepared statements included. */
  db: Database
  /** The client in use. */
  current(): Sql
  /**
   * Ends this client's connections and their statements, unless that has been done. New ones are
   * opened when needed.
   */
  giveUp(client: Sql): void
  close(): Promise<void>
}

export function createReplaceableClient(connect: () => Sql): ReplaceableClient {
  let current = connect()
  const delegate = new Proxy(current, { get: (_, name) => Reflect.get(current, name) })

  return {
    db: drizzle(delegate),
    current: () => current,

    giveUp: (client) => {
      if (client !== current) return
      current = connect()
      // Sets the parsers that `db` relies on.
      drizzle(current)
      void client.end({ timeout: 0 })
    },

    close: () => current.end({ timeout: 5 }),
  }
}

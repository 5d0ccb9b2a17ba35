/**
 * A client whose connections can be given up for new ones. A connection whose other end has gone
 * without a word, as in a failover, is noticed by the system after many minutes only, and the driver
 * waits that long.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import type { Sql } from "postgres"

export interface ReplaceableClient {
  /** Sends each statement through the client of that time, also what was prepared before. */
  db: PostgresJsDatabase
  /** The client in use. */
  current(): Sql
  /** Ends this client's connections and what they run, unless that has been done. New ones are made when needed. */
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

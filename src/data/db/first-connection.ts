/**
 * Opens the first connection of a command, and reports wrong settings in one sentence with the remedy.
 */
import type { Sql } from "postgres"
import { settleWithin } from "../../system/text/settle-within.ts"
import { withConnection } from "./connection.ts"
import { connectFailureReason } from "./database-errors.ts"
import { noResponseWithin } from "./pool/unavailable.ts"

/** The database is unusable. The message names the failed action, the reason and the remedy. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError"
}

/** The driver's own timeout does not cover hosts that close each connection. */
const connectTimeoutMs = 7_000

/**
 * Runs `work` on one connection. It uses no named prepared statements, which older transaction poolers do not
 * support.
 * @throws DatabaseError within ten seconds if it cannot connect
 */
export async function withFirstConnection<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
): Promise<T> {
  const connected = async (client: Sql): Promise<T> => {
    try {
      await settleWithin(connectTimeoutMs, client`select 1`, noResponseWithin)
    } catch (error) {
      await client.end({ timeout: 0 }).catch(() => {})
      throw new DatabaseError(
        `Cannot connect to the database at ${addressOf(url)}: ${connectFailureReason(error)}`,
      )
    }
    return work(client)
  }
  return withConnection(url, connected, { prepare: false })
}

/** Returns the host and port of a URL, without secrets. */
function addressOf(url: string): string {
  const authority = url.replace(/^[a-z]+:\/\//, "").split(/[/?]/)[0] ?? ""
  return authority.slice(authority.lastIndexOf("@") + 1) || "localhost"
}

/**
 * The first connection of a command. Wrong settings show here, so that errors say in one sentence
 * what failed and what to do.
 */
import type { Sql } from "postgres"
import { codeOf } from "../text/error-code.ts"
import { settleWithin } from "../text/settle-within.ts"
import { singleConnection } from "./connection.ts"
import { noAnswerWithin, Unavailable } from "./pool/unavailable.ts"

/** The database can't be used. The message says what failed, why, and what to do. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError"
}

/** The driver's own timeout is for each host, and does not cover hosts that close each connection. */
const connectTimeoutMs = 7_000

/**
 * Runs `work` on one connection once it is established. It uses no named prepared statements, which
 * older transaction poolers do not support.
 * @throws DatabaseError within ten seconds where no connection can be established
 */
export async function withFirstConnection<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
): Promise<T> {
  const client = singleConnection(url, { prepare: false })
  try {
    await settleWithin(connectTimeoutMs, client`select 1`, noAnswerWithin)
  } catch (error) {
    client.end({ timeout: 0 }).catch(() => {})
    throw new DatabaseError(explain(error, url))
  }
  try {
    return await work(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

/** The hosts and ports of a URL, without what may be secret. */
function addressOf(url: string): string {
  const authority = url.replace(/^[a-z]+:\/\//, "").split(/[/?]/)[0] ?? ""
  return authority.slice(authority.lastIndexOf("@") + 1) || "localhost"
}

function explain(error: unknown, url: string): string {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  const address = addressOf(url)
  const reach = `Cannot reach the database at ${address}`
  if (/^28/.test(code)) {
    return `Cannot log in to the database at ${address}: ${message}; check the user and password in DATABASE_URL`
  }
  if (code === "3D000") {
    return `Cannot open the database at ${address}: ${message}; create it, or correct DATABASE_URL`
  }
  if (code === "ECONNREFUSED") {
    return `${reach}: the connection was refused; check that PostgreSQL runs there, or correct DATABASE_URL`
  }
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    return `${reach}: there is no such host; correct DATABASE_URL`
  }
  const isLate = error instanceof Unavailable
  if (isLate || /^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code)) {
    return `${reach}: it did not answer in time; check DATABASE_URL, the network and its firewalls`
  }
  if (/^(CONNECTION_|ECONNRESET|EPIPE)/.test(code)) {
    return `${reach}: it closed the connection before the login; check that PostgreSQL listens there, and whether it requires TLS (sslmode)`
  }
  return `${reach}: ${message}; check DATABASE_URL and the server's log`
}

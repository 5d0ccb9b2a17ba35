/**
 * The first connection of a command. What the settings got wrong shows here, so failures are put in
 * one sentence for the person who can mend them.
 */
import type { Sql } from "postgres"
import { singleConnection } from "./connection.ts"

/** The database can't be used. The message says what failed, why, and what to do. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError"
}

/** The driver has a limit for each host, and none for hosts that close what they accept. */
const connectWithinMs = 7_000

/**
 * Runs `work` on one connection once that stands. Its statements are not prepared by name, which older
 * transaction poolers do not know.
 * @throws DatabaseError within ten seconds where there is no connection
 */
export async function withFirstConnection<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
): Promise<T> {
  const client = singleConnection(url, { prepare: false })
  let timer: ReturnType<typeof setTimeout> | undefined
  const overdue = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(overdueError), connectWithinMs)
  })
  try {
    await Promise.race([client`select 1`, overdue])
  } catch (error) {
    client.end({ timeout: 0 }).catch(() => {})
    throw new DatabaseError(explain(error, url))
  } finally {
    clearTimeout(timer)
  }
  try {
    return await work(client)
  } finally {
    await client.end({ timeout: 5 })
  }
}

const overdueError = Object.assign(new Error("No connection in time"), { code: "CONNECT_TIMEOUT" })

/** The hosts and ports, without what may be secret. */
function placeOf(url: string): string {
  const authority = url.replace(/^[a-z]+:\/\//, "").split(/[/?]/)[0] ?? ""
  return authority.slice(authority.lastIndexOf("@") + 1) || "localhost"
}

function explain(error: unknown, url: string): string {
  const { code = "", message = String(error) } = error as { code?: string; message?: string }
  const place = placeOf(url)
  const reach = `Cannot reach the database at ${place}`
  if (/^28/.test(code)) {
    return `Cannot log in to the database at ${place}: ${message}; check the user and password in DATABASE_URL`
  }
  if (code === "3D000") {
    return `Cannot open the database at ${place}: ${message}; create it, or correct DATABASE_URL`
  }
  if (code === "ECONNREFUSED") {
    return `${reach}: the connection was refused; check that PostgreSQL runs there, or correct DATABASE_URL`
  }
  if (/^(ENOTFOUND|EAI_)/.test(code)) {
    return `${reach}: there is no such host; correct DATABASE_URL`
  }
  if (/^(CONNECT_TIMEOUT|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH)/.test(code)) {
    return `${reach}: it did not answer in time; check DATABASE_URL, the network and its firewalls`
  }
  if (/^(CONNECTION_|ECONNRESET|EPIPE)/.test(code)) {
    return `${reach}: it closed the connection before the log-in; check that PostgreSQL listens there, and whether it wants TLS (sslmode)`
  }
  return `${reach}: ${message}; check DATABASE_URL and the server's log`
}

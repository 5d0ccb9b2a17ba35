/**
 * One pool of connections and the gate before it. Requests, exports and housekeeping have a pool
 * each, so that none can starve another.
 */
import { DrizzleQueryError } from "drizzle-orm/errors"
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { createGate, type Gate } from "./gate.ts"
import { Unavailable } from "./unavailable.ts"

export interface PoolOptions {
  /** Shows in pg_stat_activity as `mds <name>`. */
  name: string
  connections: number
  queueLength: number
  statementTimeoutMs: number
}

export interface Pool {
  /** For building statements. Run them through `run` alone. */
  db: PostgresJsDatabase
  /** Runs one statement behind the gate. @throws Unavailable */
  run<T>(statement: () => Promise<T>): Promise<T>
  load: Gate["load"]
  close(): Promise<void>
}

const waitMs = 5_000
/** Past the server's own limit, so that its answer, which names the cause, comes first. */
const graceMs = 2_000
/** Ample for any page of a database that is there. */
const impatientMs = 1_000

export function createPool(url: string, options: PoolOptions): Pool {
  const client = postgres(url, {
    max: options.connections,
    connect_timeout: 5,
    backoff: () => 0.25,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: `mds ${options.name}`,
      statement_timeout: options.statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
    },
  })
  const gate = createGate({
    places: options.connections,
    queueLength: options.queueLength,
    waitMs,
    deadlineMs: options.statementTimeoutMs + graceMs,
    impatientMs,
  })
  return {
    db: drizzle(client),
    run: (statement) => gate.run(() => statement().catch(rethrow)),
    load: gate.load,
    close: () => client.end({ timeout: 5 }),
  }
}

/** Drizzle's own message holds the parameters, which must not reach a log: its cause is what counts. */
function rethrow(error: unknown): never {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  if (isUnavailability(cause)) throw new Unavailable("The database can't be reached", { cause })
  throw cause
}

/**
 * Errors of the connection; and of SQLSTATE: connection (08), log-in (28), no such database (3D),
 * resources (53), statement timeout and shutdown (57).
 */
function isUnavailability(error: unknown): boolean {
  const code = (error as { code?: unknown } | undefined)?.code
  return (
    typeof code === "string" &&
    (/^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_)/.test(
      code,
    ) ||
      /^(08|28|3D|53|57)[0-9A-Z]{3}$/.test(code))
  )
}

/**
 * A connection pool with a bounded queue and deadlines for its statements. Each kind of work has a pool
 * of its own, so that none can starve another. postgres.js alone would queue without limit and
 * pipeline statements behind slow ones.
 */
import postgres from "postgres"
import { codeOf } from "../../text/error-code.ts"
import { withoutParameters } from "../query-failure.ts"
import type { AccountId } from "./account-id.ts"
import { type ConcurrencyLimiter, createConcurrencyLimiter } from "./concurrency-limiter.ts"
import { createReplaceableClient, type Database } from "./replaceable-client.ts"
import { createStatementDeadline } from "./statement-deadline.ts"
import { Unavailable } from "./unavailable.ts"

export interface PoolOptions {
  /** Shows in pg_stat_activity as `mds <name>`. */
  name: string
  connections: number
  /** How many of them one account may use; all by default. */
  connectionsPerAccount?: number
  /** How many statements may wait for a connection. */
  queueLength: number
  /** The same for one account. */
  queueLengthPerAccount?: number
  /** How long a statement may wait for a connection. */
  waitMs?: number
  statementTimeoutMs: number
  /** PostgreSQL's parameters for its sessions, by name. */
  parameters?: Readonly<Record<string, string>>
}

export interface Pool {
  /** For building statements. Run them only through `run`. */
  db: Database
  /**
   * Runs one statement once a connection is free.
   * @param account that the statement is run for; null for the service itself
   * @param signal cancels it until it has begun, with the signal's reason
   * @throws Unavailable
   */
  run<T>(statement: () => Promise<T>, account?: AccountId, signal?: AbortSignal): Promise<T>
  load: ConcurrencyLimiter["load"]
  /** After which the server ends a statement. */
  statementTimeoutMs: number
  close(): Promise<void>
}

const defaultWaitMs = 5_000
/** Added to the server's statement_timeout, so that the server's error, which names the cause, comes first. */
const graceMs = 2_000
/** Without a reply for this long after that, a connection is considered dead. */
const giveUpAfterMs = 2_000
/** Ample for any page while the database is up. */
const failFastMs = 1_000

export function createPool(url: string, options: PoolOptions): Pool {
  const { connections, queueLength, waitMs = defaultWaitMs, statementTimeoutMs } = options
  const client = createReplaceableClient(() =>
    postgres(url, {
      max: connections,
      connect_timeout: 5,
      backoff: () => 0.25,
      fetch_types: false,
      onnotice: () => {},
      connection: {
        application_name: `mds ${options.name}`,
        // Dates are shown as the server writes them, whatever the database or the role sets.
        DateStyle: "ISO",
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: 60_000,
        ...options.parameters,
      },
    }),
  )
  const limiter = createConcurrencyLimiter({
    slots: connections,
    slotsPerAccount: options.connectionsPerAccount ?? connections,
    queueLength,
    queueLengthPerAccount: options.queueLengthPerAccount ?? queueLength,
  })
  const deadline = createStatementDeadline({
    deadlineMs: statementTimeoutMs + graceMs,
    failFastMs,
    giveUpAfterMs,
  })

  async function run<T>(
    statement: () => Promise<T>,
    account: AccountId = null,
    signal?: AbortSignal,
  ): Promise<T> {
    const release = await limiter.acquire({
      account,
      waitMs: deadline.isAnswering ? waitMs : Math.min(waitMs, failFastMs),
      signal,
    })
    if (signal?.aborted) {
      release()
      throw signal.reason
    }
    // The slot is released when the statement has ended, not when its caller has given up. Otherwise
    // more statements than connections would pile up while the database hangs.
    // The server ends each statement in time. If not even that arrives, the connections are dead.
    const usedClient = client.current()
    return deadline.within(Promise.try(statement).finally(release), () => client.giveUp(usedClient))
  }

  return {
    db: client.db,
    run: (statement, ...claim) => run(() => statement().catch(rethrowDatabaseError), ...claim),
    load: limiter.load,
    statementTimeoutMs,
    close: client.close,
  }
}

/** Rethrows an error of a statement without its parameters. @throws Unavailable where the database is */
export function rethrowDatabaseError(error: unknown): never {
  const cause = withoutParameters(error)
  if (isUnavailability(cause)) throw new Unavailable("The database is unavailable", { cause })
  throw cause
}

/**
 * Errors of the connection, and the SQLSTATE classes connection exception (08), invalid authorization
 * (28), invalid catalog name (3D), insufficient resources (53) and operator intervention (57).
 */
function isUnavailability(error: unknown): boolean {
  const code = codeOf(error)
  return (
    /^(CONNECTION_|CONNECT_TIMEOUT|ECONN|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_)/.test(
      code,
    ) || /^(08|28|3D|53|57)[0-9A-Z]{3}$/.test(code)
  )
}

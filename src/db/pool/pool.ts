/**
 * One pool of connections, the queue before it and the deadlines of what it runs. Each kind of work
 * has a pool of its own, so that none can starve another. postgres.js alone would queue without limit
 * and send statements behind slow ones.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import postgres from "postgres"
import { withoutParameters } from "../query-failure.ts"
import { type ConcurrencyLimiter, createConcurrencyLimiter } from "./concurrency-limiter.ts"
import type { Account } from "./fair-queue.ts"
import { createStatementDeadline } from "./statement-deadline.ts"
import { Unavailable } from "./unavailable.ts"

export interface PoolOptions {
  /** Shows in pg_stat_activity as `mds <name>`. */
  name: string
  connections: number
  /** Of these, the most that one account may have; all, where it is left out. */
  connectionsPerAccount?: number
  /** Statements that may wait for a connection. */
  queueLength: number
  /** The same of one account. */
  queueLengthPerAccount?: number
  /** How long one may wait. */
  waitMs?: number
  statementTimeoutMs: number
}

export interface Pool {
  /** For building statements. Run them through `run` alone. */
  db: PostgresJsDatabase
  /**
   * Runs one statement when its turn has come.
   * @param account whose turn it takes; null where it is nobody's
   * @param signal withdraws it as long as it has not begun, with the signal's reason
   * @throws Unavailable
   */
  run<T>(statement: () => Promise<T>, account?: Account, signal?: AbortSignal): Promise<T>
  load: ConcurrencyLimiter["load"]
  close(): Promise<void>
}

const defaultWaitMs = 5_000
/** Past the server's own limit, so that its answer, which names the cause, comes first. */
const graceMs = 2_000
/** Ample for any page of a database that is there. */
const failFastMs = 1_000

export function createPool(url: string, options: PoolOptions): Pool {
  const { connections, queueLength, waitMs = defaultWaitMs, statementTimeoutMs } = options
  const client = postgres(url, {
    max: connections,
    connect_timeout: 5,
    backoff: () => 0.25,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: `mds ${options.name}`,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: 60_000,
    },
  })
  const limiter = createConcurrencyLimiter({
    slots: connections,
    slotsPerAccount: options.connectionsPerAccount ?? connections,
    queueLength,
    queueLengthPerAccount: options.queueLengthPerAccount ?? queueLength,
  })
  const deadline = createStatementDeadline({ deadlineMs: statementTimeoutMs + graceMs, failFastMs })

  async function run<T>(
    statement: () => Promise<T>,
    account: Account = null,
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
    // The slot is held until the statement has ended, not until its caller gave up: else more
    // statements than connections would pile up at a database that hangs.
    return deadline.within(Promise.try(statement).finally(release))
  }

  return {
    db: drizzle(client),
    run: (statement, ...claim) => run(() => statement().catch(rethrow), ...claim),
    load: limiter.load,
    close: () => client.end({ timeout: 5 }),
  }
}

function rethrow(error: unknown): never {
  const cause = withoutParameters(error)
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

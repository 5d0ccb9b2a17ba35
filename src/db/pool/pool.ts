/**
 * A connection pool with a bounded queue and deadlines for its statements. Each kind of work has a pool
 * of its own, so that none can starve another. postgres.js alone would queue without limit and
 * pipeline statements behind slow ones.
 */
import postgres from "postgres"
import { createHistogram, type HistogramReading, secondBounds } from "../../telemetry/histogram.ts"
import type { AccountId } from "./account-id.ts"
import type { Availability } from "./availability.ts"
import { type ConcurrencyLimiter, createConcurrencyLimiter } from "./concurrency-limiter.ts"
import { isAnswer, isLockTimeout, rethrowDatabaseError } from "./database-errors.ts"
import { createReplaceableClient, type Database } from "./replaceable-client.ts"
import { createStatementDeadline } from "./statement-deadline.ts"
import { Overloaded, Unavailable } from "./unavailable.ts"

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
  /** Whether a statement that can be expected to wait too long is refused at once. */
  refusesEarly?: boolean
  statementTimeoutMs: number
  /** How long a statement may wait for a lock of another session; as long as it may run by default. */
  lockTimeoutMs?: number
  /** How long connecting may take. */
  connectTimeoutMs?: number
  /** Its statements are no part of the requests that caused them, which do not wait for them. */
  isBackground?: boolean
  /** PostgreSQL's parameters for its sessions, by name. */
  parameters?: Readonly<Record<string, string>>
  /** Without it, a database that does not answer shows by the deadlines. */
  availability?: Pick<Availability, "ensure" | "begin">
}

/** What cancels a statement that waits: an AbortController, or a signal alone. */
export interface Cancellation {
  signal?: AbortSignal
  /**
   * Called at once where the statement is refused for want of room. So statements that are needed
   * together have one controller, and none is run in vain when another is refused.
   */
  abort?(reason: unknown): void
}

export interface Pool {
  name: string
  /** For building statements. Run them only through `run`. */
  db: Database
  /**
   * Runs one statement once a connection is free.
   * @param account that the statement is run for; null for the service itself
   * @param cancellation of the statement until it has begun
   * @throws Unavailable, or the reason of the cancellation
   */
  run<T>(statement: () => Promise<T>, account?: AccountId, cancellation?: Cancellation): Promise<T>
  load: ConcurrencyLimiter["load"]
  readings(): PoolReadings
  /** Refuses all statements that run or wait, and ends their connections. */
  cutOff(reason: Unavailable): void
  /** After which the server ends a statement. */
  statementTimeoutMs: number
  close(): Promise<void>
}

export interface PoolReadings {
  connections: number
  /** Statements that run, and that wait for a connection. */
  running: number
  waiting: number
  /** Statements that got no connection: the queue was full, or none was free, or expected to be, in time. */
  refused: number
  /** How long statements waited for a connection, and how long they took after that. */
  waitSeconds: HistogramReading
  statementSeconds: HistogramReading
}

const defaultWaitMs = 5_000
const defaultConnectTimeoutMs = 5_000
/** Added to the server's statement_timeout, so that the server's error, which names the cause, comes first. */
const graceMs = 2_000
/** Without a reply for this long after that, a connection is considered dead. */
const giveUpAfterMs = 2_000
/** Ample for any page while the database is up. */
const failFastMs = 1_000

export function createPool(url: string, options: PoolOptions): Pool {
  const {
    connections,
    queueLength,
    waitMs = defaultWaitMs,
    statementTimeoutMs,
    availability,
  } = options
  const { lockTimeoutMs, connectTimeoutMs = defaultConnectTimeoutMs } = options
  const client = createReplaceableClient(() =>
    postgres(url, {
      max: connections,
      connect_timeout: connectTimeoutMs / 1000,
      backoff: () => 0.25,
      fetch_types: false,
      onnotice: () => {},
      connection: {
        application_name: `mds ${options.name}`,
        // Dates are shown as the server writes them, whatever the database or the role sets.
        DateStyle: "ISO",
        statement_timeout: statementTimeoutMs,
        idle_in_transaction_session_timeout: 60_000,
        ...(lockTimeoutMs !== undefined && { lock_timeout: lockTimeoutMs }),
        ...options.parameters,
      },
    }),
  )
  const limiter = createConcurrencyLimiter({
    slots: connections,
    slotsPerAccount: options.connectionsPerAccount ?? connections,
    queueLength,
    queueLengthPerAccount: options.queueLengthPerAccount ?? queueLength,
    refusesEarly: options.refusesEarly ?? false,
  })
  const deadline = createStatementDeadline({
    deadlineMs: statementTimeoutMs + graceMs,
    failFastMs,
    giveUpAfterMs,
  })

  const waitSeconds = createHistogram(secondBounds)
  const statementSeconds = createHistogram(secondBounds)
  let refused = 0

  async function run<T>(
    statement: () => Promise<T>,
    account: AccountId = null,
    cancellation?: Cancellation,
  ): Promise<T> {
    const signal = cancellation?.signal
    availability?.ensure()
    const askedMs = performance.now()
    const slot = limiter.acquire({
      account,
      waitMs: deadline.isAnswering ? waitMs : Math.min(waitMs, failFastMs),
      signal,
      onRefused: (reason) => cancellation?.abort?.(reason),
    })
    const release = await slot.catch((error: unknown) => {
      if (error instanceof Overloaded) refused++
      throw error
    })
    const begunMs = performance.now()
    waitSeconds.observe((begunMs - askedMs) / 1_000)
    try {
      signal?.throwIfAborted()
      availability?.ensure()
    } catch (error) {
      release()
      throw error
    }
    const endStatement = availability?.begin()
    const observeStatement = () => statementSeconds.observe((performance.now() - begunMs) / 1_000)
    // The slot is released when the statement has ended, not when its caller has given up. Otherwise
    // more statements than connections would pile up while the database hangs.
    const ended = Promise.try(statement).then(
      (value) => {
        observeStatement()
        release()
        endStatement?.(true)
        return value
      },
      (error: unknown) => {
        observeStatement()
        if (isLockTimeout(error)) limiter.refuseWaiting(allLocked)
        release()
        endStatement?.(isAnswer(error))
        return rethrowDatabaseError(error)
      },
    )
    // The server ends each statement in time. If not even that arrives, the connections are dead.
    const usedClient = client.current()
    return deadline.within(ended, () => client.giveUp(usedClient))
  }

  return {
    name: options.name,
    db: client.db,
    run,
    load: limiter.load,
    readings: () => ({
      connections,
      ...limiter.load(),
      refused,
      waitSeconds: waitSeconds.read(),
      statementSeconds: statementSeconds.read(),
    }),
    cutOff: (reason) => {
      limiter.refuseWaiting(reason)
      deadline.refuseRunning(reason)
      client.giveUp(client.current())
    },
    statementTimeoutMs,
    close: client.close,
  }
}

/** What waits for a connection would wait for the lock after that. */
const allLocked = new Unavailable("Statements on all connections wait for a lock")

/**
 * The way to the database: a statement waits in its account's turn, runs within a deadline, and is shared by
 * all who ask the same meanwhile. While the database does not answer, it is refused at once. postgres.js
 * alone would queue without limit, and pipeline statements behind slow ones.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import postgres, { type Sql } from "postgres"
import { createHistogram, type HistogramReading, secondBounds } from "../../telemetry/histogram.ts"
import { isAnswer, isLockTimeout, rethrowDatabaseError } from "../database-errors.ts"
import type { Availability } from "./availability.ts"
import { type AccountId, createTurns } from "./turns.ts"
import { Overloaded, Unavailable } from "./unavailable.ts"

export type Database = PostgresJsDatabase & { $client: Sql }

export interface PoolOptions {
  /** Shows in pg_stat_activity as `mds <name>`. */
  name: string
  connections: number
  /** How many of them one account may use; all by default. */
  connectionsPerAccount?: number
  statementTimeoutMs: number
  /** PostgreSQL's parameters for its sessions, by name. */
  parameters?: Readonly<Record<string, string>>
  /** Without it, a database that does not answer shows by the deadlines. */
  availability?: Pick<Availability, "ensure" | "begin">
}

type Statement<T> = (db: Database) => Promise<T>

/** What runs statements that only read. They may run twice, and on a replica. */
export interface ReadPool {
  /**
   * Runs a statement, once for all who ask for the key meanwhile. It may have begun before its caller
   * asked, so only what never changes may be read, such as a release.
   * @throws Unavailable
   */
  run<T>(account: AccountId, key: string, statement: Statement<T>): Promise<T>
  /** Runs a statement for this caller alone, such as a write. @throws Unavailable */
  runAlone<T>(account: AccountId, statement: Statement<T>): Promise<T>
}

export interface Pool extends ReadPool {
  /** For building statements. Run them only through `run` and `runAlone`. */
  db: Database
  readings(): PoolReadings
  /** Refuses all statements that wait, and ends those that run with their connections. */
  cutOff(reason: Unavailable): void
  close(): Promise<void>
}

export interface PoolReadings {
  connections: number
  /** Statements that run, and that wait for their turn. */
  running: number
  waiting: number
  /** Statements that got no turn: their account had too many, or none came in time. */
  refused: number
  /** How long statements waited for their turn, and how long they took after that. */
  waitSeconds: HistogramReading
  statementSeconds: HistogramReading
}

/** So that a request is refused within two seconds where it can't have its data. */
const connectSeconds = 1.5
/** As while a migration changes a table. */
const lockTimeoutMs = 1_500
/** After the server's own timeout, whose error names the cause, a connection is considered dead. */
const graceMs = 2_000

export function createPool(url: string, options: PoolOptions): Pool {
  const { name, connections, connectionsPerAccount = connections } = options
  const { statementTimeoutMs, availability } = options
  const turns = createTurns({ places: connections, placesPerAccount: connectionsPerAccount })
  /** By key; and by account and key, what waits for its turn too. */
  const running = createShared()
  const asked = createShared()
  const waitSeconds = createHistogram(secondBounds)
  const statementSeconds = createHistogram(secondBounds)
  let refused = 0
  let client = connect()
  // Prepared statements stay with it when the connections are replaced.
  const db = drizzle(new Proxy(client, { get: (_, property) => Reflect.get(client, property) }))

  function connect(): Sql {
    return postgres(url, {
      max: connections,
      connect_timeout: connectSeconds,
      backoff: () => 0.25,
      fetch_types: false,
      onnotice: () => {},
      connection: {
        application_name: `mds ${name}`,
        // Dates are shown as the server writes them, whatever the database or the role sets.
        DateStyle: "ISO",
        statement_timeout: statementTimeoutMs,
        lock_timeout: lockTimeoutMs,
        idle_in_transaction_session_timeout: 60_000,
        ...options.parameters,
      },
    })
  }

  /**
   * Ends this client's connections with their statements, unless that has been done. The other end may have
   * disappeared without a word, which the system notices only after many minutes.
   */
  function replace(used: Sql): void {
    if (used !== client) return
    client = connect()
    // Sets the parsers that `db` relies on.
    drizzle(client)
    used.end({ timeout: 0 }).catch(() => {})
  }

  async function send<T>(statement: Statement<T>): Promise<T> {
    const begunMs = performance.now()
    const used = client
    const end = availability?.begin()
    const deadline = setTimeout(() => replace(used), statementTimeoutMs + graceMs)
    let isAnswered = true
    try {
      return await statement(db)
    } catch (error) {
      isAnswered = isAnswer(error)
      if (isLockTimeout(error)) turns.refuseWaiting(allLocked)
      return rethrowDatabaseError(error)
    } finally {
      clearTimeout(deadline)
      end?.(isAnswered)
      statementSeconds.observe((performance.now() - begunMs) / 1_000)
    }
  }

  /** @returns what ends the turn */
  async function turnOf(account: AccountId): Promise<() => void> {
    availability?.ensure()
    const askedMs = performance.now()
    const end = await turns.take(account).catch((error: unknown) => {
      if (error instanceof Overloaded) refused++
      throw error
    })
    waitSeconds.observe((performance.now() - askedMs) / 1_000)
    return end
  }

  async function runAlone<T>(account: AccountId, statement: Statement<T>): Promise<T> {
    const endTurn = await turnOf(account)
    return send(statement).finally(endTurn)
  }

  /** Each account waits in its own queue. When its turn comes, the same may run for another account. */
  async function runInTurn<T>(
    account: AccountId,
    key: string,
    statement: Statement<T>,
  ): Promise<T> {
    const endTurn = await turnOf(account)
    const begun = running.get<T>(key)
    if (!begun) return running.add(key, send(statement).finally(endTurn))
    endTurn()
    return begun
  }

  function run<T>(account: AccountId, key: string, statement: Statement<T>): Promise<T> {
    const own = `${account} ${key}`
    return (
      running.get<T>(key) ?? asked.get<T>(own) ?? asked.add(own, runInTurn(account, key, statement))
    )
  }

  return {
    db,
    run,
    runAlone,
    readings: () => ({
      connections,
      ...turns.load(),
      refused,
      waitSeconds: waitSeconds.read(),
      statementSeconds: statementSeconds.read(),
    }),
    cutOff: (reason) => {
      turns.refuseWaiting(reason)
      replace(client)
    },
    close: () => client.end({ timeout: 5 }),
  }
}

/** What is under way. */
function createShared() {
  const results = new Map<string, Promise<unknown>>()
  return {
    get: <T>(key: string) => results.get(key) as Promise<T> | undefined,
    add: <T>(key: string, result: Promise<T>): Promise<T> => {
      const shared = result.finally(() => results.delete(key))
      results.set(key, shared)
      return shared
    },
  }
}

/** What waits for a connection would wait for the lock after that. */
const allLocked = new Unavailable("Statements on all connections wait for a lock")

/**
 * Runs statements: each waits for its account's turn, has a deadline, and is shared by concurrent callers with
 * the same key. During an outage statements fail at once. postgres.js would queue without limit.
 */
import { drizzle, type PostgresJsDatabase } from "drizzle-orm/postgres-js"
import type { Sql } from "postgres"
import {
  createHistogram,
  type HistogramReading,
  secondBounds,
} from "../../../system/metrics/histogram.ts"
import { createClient } from "../connection.ts"
import { isLockTimeout, isServerError, rethrowDatabaseError } from "../database-errors.ts"
import type { Availability } from "./availability.ts"
import { type AccountId, createTurns } from "./turns.ts"
import { Overloaded, Unavailable } from "./unavailable.ts"

export type Database = PostgresJsDatabase & { $client: Sql }

export interface PoolOptions {
  /** Shows in pg_stat_activity as `mds <name>`. */
  name: string
  connections: number
  /** How many connections one account may use at once; by default all. */
  connectionsPerAccount?: number
  statementTimeoutMs: number
  /** PostgreSQL parameters of its sessions, by name. */
  parameters?: Readonly<Record<string, string>>
  /** Without it, only deadlines detect an outage. */
  availability?: Pick<Availability, "ensure" | "begin">
}

type Statement<T> = (db: Database) => Promise<T>

/** Runs statements that only read. They may run twice, and on a replica. */
export interface ReadPool {
  /**
   * Runs a statement once for all concurrent callers with the key. It may have begun before the call, so it
   * must read only unchangeable data, such as a release.
   * @throws Unavailable
   */
  run<T>(account: AccountId, key: string, statement: Statement<T>): Promise<T>
  /** Runs a statement that no other caller shares, such as a write. @throws Unavailable */
  runAlone<T>(account: AccountId, statement: Statement<T>): Promise<T>
}

export interface Pool extends ReadPool {
  /** Builds statements. Only `run` and `runAlone` may execute them. */
  db: Database
  readings(): PoolReadings
  /** Rejects waiting statements, and ends running ones with their connections. */
  cutOff(reason: Unavailable): void
  close(): Promise<void>
}

export interface PoolReadings {
  connections: number
  /** Statements that run, and statements that wait for their turn. */
  running: number
  waiting: number
  /** Statements without a turn: too many waited, or the wait was too long. */
  refused: number
  /** The waiting time of statements, and their time after the wait. */
  waitSeconds: HistogramReading
  statementSeconds: HistogramReading
}

/** A request that gets no connection fails within two seconds. */
const connectSeconds = 1.5
/** For a table that a migration changes. */
const lockTimeoutMs = 1_500
/** A connection is dead this long after the server's own timeout, whose error would name the cause. */
const graceMs = 2_000
/** The number of an account's requests is limited instead: all statements of a request are admitted. */
const noLimit = Number.POSITIVE_INFINITY
/** Of a client without an account, and of the service itself. A request has one such statement at a time. */
const queuePerAddress = 1_000

export function createPool(url: string, options: PoolOptions): Pool {
  const { name, connections, connectionsPerAccount = connections } = options
  const { statementTimeoutMs, availability } = options
  const turns = createTurns({
    places: connections,
    placesPerAccount: connectionsPerAccount,
    queuePerAccount: (account) => (typeof account === "number" ? noLimit : queuePerAddress),
  })
  /** Running statements by key; running and waiting statements by account and key. */
  const running = createShared()
  const pending = createShared()
  const waitSeconds = createHistogram(secondBounds)
  const statementSeconds = createHistogram(secondBounds)
  let refused = 0
  let client = connect()
  // A proxy, so that prepared statements survive the replacement of the client.
  const db = drizzle(new Proxy(client, { get: (_, property) => Reflect.get(client, property) }))

  function connect(): Sql {
    return createClient(url, {
      max: connections,
      connect_timeout: connectSeconds,
      backoff: () => 0.25,
      connection: {
        application_name: `mds ${name}`,
        // Responses show dates and numbers as the server writes them: these override the database and the role.
        DateStyle: "ISO",
        extra_float_digits: 1,
        statement_timeout: statementTimeoutMs,
        lock_timeout: lockTimeoutMs,
        idle_in_transaction_session_timeout: 60_000,
        ...options.parameters,
      },
    })
  }

  /**
   * Replaces the client and ends its connections with their statements, unless it has been replaced. The system
   * detects a silent loss of the other end only after many minutes.
   */
  function replace(used: Sql): void {
    if (used !== client) return
    client = connect()
    // Sets the parsers that `db` needs.
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
      isAnswered = isServerError(error)
      if (isLockTimeout(error)) turns.refuseWaiting(allLocked)
      return rethrowDatabaseError(error)
    } finally {
      clearTimeout(deadline)
      end?.(isAnswered)
      statementSeconds.observe((performance.now() - begunMs) / 1_000)
    }
  }

  /** @returns ends the turn */
  async function turnOf(account: AccountId): Promise<() => void> {
    availability?.ensure()
    const requestedMs = performance.now()
    const end = await turns.take(account).catch((error: unknown) => {
      if (error instanceof Overloaded) refused++
      throw error
    })
    waitSeconds.observe((performance.now() - requestedMs) / 1_000)
    return end
  }

  async function runAlone<T>(account: AccountId, statement: Statement<T>): Promise<T> {
    const endTurn = await turnOf(account)
    return send(statement).finally(endTurn)
  }

  /** Each account waits in its own queue. After the wait, another account may already run the same statement. */
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
      running.get<T>(key) ??
      pending.get<T>(own) ??
      pending.add(own, runInTurn(account, key, statement))
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

/** Shares results in progress, by key. */
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

/** Rejects waiting statements, which would next wait for the lock. */
const allLocked = new Unavailable("Statements on all connections wait for a lock")

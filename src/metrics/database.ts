/** Whether the database answers, and the pools of connections by the kind of work that they do. */
import type { HistogramReading } from "../telemetry/histogram.ts"
import { type Collector, familyOf, gauge } from "./families.ts"

export interface DatabaseReadings {
  pools: Readonly<Record<string, PoolReadings>>
  /** Whether each answers; null without a replica. */
  primary: boolean
  replica: boolean | null
}

interface PoolReadings {
  running: number
  waiting: number
  connections: number
  refused: number
  waitSeconds: HistogramReading
  statementSeconds: HistogramReading
}

export const collectDatabase =
  (read: () => DatabaseReadings): Collector =>
  () => {
    const { pools, primary, replica } = read()
    const named = Object.entries(pools)
    const pool = familyOf(named, ([name]) => ({ db_client_connection_pool_name: name }))
    const used = familyOf(named, ([name]) => ({
      db_client_connection_pool_name: name,
      db_client_connection_state: "used",
    }))
    const roles = Object.entries({ primary, ...(replica !== null && { replica }) })
    const role = familyOf(roles, ([role]) => ({ role }))
    return [
      used(
        "gauge",
        "db_client_connection_count",
        "Connections that run a statement, by pool",
        ([, { running }]) => running,
      ),
      pool(
        "gauge",
        "db_client_connection_max",
        "Connections that a pool may have",
        ([, { connections }]) => connections,
      ),
      pool(
        "gauge",
        "db_client_connection_pending_requests",
        "Statements that wait for a connection",
        ([, { waiting }]) => waiting,
      ),
      pool(
        "histogram",
        "db_client_connection_wait_time_seconds",
        "How long statements waited for a connection, in seconds",
        ([, { waitSeconds }]) => waitSeconds,
      ),
      pool(
        "histogram",
        "db_client_operation_duration_seconds",
        "How long statements took, without waiting for a connection, in seconds",
        ([, { statementSeconds }]) => statementSeconds,
      ),
      pool(
        "counter",
        "mds_statements_refused_total",
        "Statements that got no connection: the queue was full, or none was free, or expected to be, in time",
        ([, { refused }]) => refused,
      ),
      role(
        "gauge",
        "mds_database_answering",
        "1 while the database answers, by its role",
        ([, isAnswering]) => Number(isAnswering),
      ),
    ]
  }

/** @param isReady whether requests can be answered, as readiness tells */
export const collectReadiness =
  (isReady: () => Promise<boolean>): Collector =>
  async () => [
    gauge(
      "mds_ready",
      "1 while the service is ready, 0 while its database does not answer and from its stop on",
      Number(await isReady()),
    ),
  ]

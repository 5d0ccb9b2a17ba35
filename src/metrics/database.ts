/** The database's hosts, and the pools of connections by the kind of work that they do. */
import type { HistogramReading } from "../telemetry/histogram.ts"
import { type Collector, familyOf, gauge } from "./families.ts"

export interface DatabaseReadings {
  pools: Readonly<Record<string, PoolReadings>>
  /** By host and port. */
  hosts: Readonly<Record<string, HostReadings>>
}

/** Of the question for the state of the hosts, only the first two are known. */
interface PoolReadings {
  running: number
  waiting: number
  connections?: number
  refused?: number
  waitSeconds?: HistogramReading
  statementSeconds?: HistogramReading
}

interface HostReadings {
  role: string
  isAnswering: boolean
  lagBytes: number
  release: number
}

export const collectDatabase =
  (read: () => DatabaseReadings): Collector =>
  () => {
    const { pools, hosts } = read()
    const named = Object.entries(pools)
    const pool = familyOf(named, ([name]) => ({ db_client_connection_pool_name: name }))
    const used = familyOf(named, ([name]) => ({
      db_client_connection_pool_name: name,
      db_client_connection_state: "used",
    }))
    const host = familyOf(Object.entries(hosts), ([name, { role }]) => ({
      server_address: name,
      role,
    }))
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
        "Connections that a pool may have, on all hosts",
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
      host(
        "gauge",
        "mds_database_host_answering",
        "1 while a host of the database answers, by its role",
        ([, { isAnswering }]) => Number(isAnswering),
      ),
      host(
        "gauge",
        "mds_database_host_lag_bytes",
        "What a host has yet to replay of the write-ahead log that the primary last reported",
        ([, { lagBytes }]) => lagBytes,
      ),
      host(
        "gauge",
        "mds_database_host_release",
        "Number of the newest release of a host when it was last asked",
        ([, { release }]) => release,
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

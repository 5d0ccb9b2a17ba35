import type { PoolReadings } from "../../data/db/pool/pool.ts"
import { byName, counter, gauge, histogram, type MetricFamily } from "./families.ts"
import type { HistogramReading } from "./histogram.ts"

export interface DatabaseReadings {
  pools: Readonly<Record<string, PoolReadings>>
  /** Whether each database responds; null without a replica. */
  primary: boolean
  replica: boolean | null
}

/** The pools by the kind of their work, and whether the database responds. */
export function databaseMetrics({ pools, primary, replica }: DatabaseReadings): MetricFamily[] {
  const label = "db_client_connection_pool_name"
  const perPool = (read: (pool: PoolReadings) => number | HistogramReading) =>
    byName(label, pools, read)
  const used = { db_client_connection_state: "used" }
  const roles = { primary, ...(replica !== null && { replica }) }
  return [
    gauge(
      "db_client_connection_count",
      "Connections that run a statement",
      perPool(({ running }) => running).map(({ labels, value }) => ({
        labels: { ...labels, ...used },
        value,
      })),
    ),
    gauge(
      "db_client_connection_max",
      "Connection limit of a pool",
      perPool(({ connections }) => connections),
    ),
    gauge(
      "db_client_connection_pending_requests",
      "Statements that wait for a connection",
      perPool(({ waiting }) => waiting),
    ),
    histogram(
      "db_client_connection_wait_time_seconds",
      "Time that statements waited for a connection, in seconds",
      perPool(({ waitSeconds }) => waitSeconds),
    ),
    histogram(
      "db_client_operation_duration_seconds",
      "Duration of statements after they got a connection, in seconds",
      perPool(({ statementSeconds }) => statementSeconds),
    ),
    counter(
      "mds_statements_rejected_total",
      "Statements that got no connection",
      perPool(({ refused }) => refused),
    ),
    gauge("mds_database_up", "1 while the database responds", byName("role", roles, Number)),
  ]
}

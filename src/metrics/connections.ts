/** What the process is connected to beside its database, and what it writes. */
import { byName, type Collector, counter, gauge } from "./families.ts"

export interface ConnectionReadings {
  /** The connection to Redis; null without one. */
  redis: { answering: boolean; losses: number } | null
  /** The log's buffer; null without one. */
  log: { dropped: number; failures: number; bytes: number } | null
  /** Whether the process is subscribed to notifications of changes. */
  listening: boolean
  /** Sources that the process has fetched, by what came of it; null where it fetches none. */
  fetches: Readonly<Record<string, number>> | null
  /** Requests without a valid token, by status. */
  unauthenticated: Readonly<Record<string, number>>
}

export const collectConnections =
  (read: () => ConnectionReadings): Collector =>
  () => {
    const { redis, log, listening, fetches, unauthenticated } = read()
    return [
      gauge(
        "mds_redis_answering",
        "1 while windows are shared through Redis, 0 while it does not answer and each process uses its local windows; absent without Redis",
        redis ? Number(redis.answering) : undefined,
      ),
      counter("mds_redis_losses_total", "Number of times Redis stopped answering", redis?.losses),
      gauge(
        "mds_notifications_listening",
        "1 while the process is subscribed to notifications of changed accounts, tokens and releases, 0 while each request looks up its token and the newest release",
        Number(listening),
      ),
      counter(
        "mds_log_lines_dropped_total",
        "Log lines dropped because the buffer was full",
        log?.dropped,
      ),
      counter(
        "mds_log_write_failures_total",
        "Failed writes of the log to standard output; each is retried a second later",
        log?.failures,
      ),
      gauge(
        "mds_log_buffer_bytes",
        "Estimated size of the log lines waiting to be written",
        log?.bytes,
      ),
      byName("outcome", fetches ?? {})(
        "counter",
        "mds_fetches_total",
        "Sources that were to be fetched, by what came of it; absent without FETCH_EVERY",
      ),
      byName("status", unauthenticated)(
        "counter",
        "mds_unauthenticated_requests_total",
        "Requests without a valid token, by status",
      ),
    ]
  }

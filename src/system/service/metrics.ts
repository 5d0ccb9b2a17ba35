/** Collects the metrics of the parts. */

import type { Credentials } from "../../accounts/access/credentials.ts"
import type { Windows } from "../../accounts/access/windows.ts"
import type { CachedResponses } from "../../api/responses/cached-responses.ts"
import type { ExportSlots } from "../../api/responses/export-slots.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadSourceReadings } from "../../data/reader/source-readings.ts"
import type { LogBufferReadings } from "../log/log-buffer.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import { dataMetrics } from "../metrics/data.ts"
import { databaseMetrics } from "../metrics/database.ts"
import type { ExportMetrics } from "../metrics/exports.ts"
import { byName, counter, gauge, type MetricFamily, metricsText } from "../metrics/families.ts"
import { createProcessMetrics } from "../metrics/process.ts"
import { createRequestMetrics } from "../metrics/requests.ts"
import { createWatchMetrics } from "../metrics/watches.ts"
import type { Base } from "./base.ts"

interface MeasuredParts extends Pick<Base, "database" | "redis"> {
  notifications: { readonly listening: boolean }
  unauthenticated: UnauthenticatedRequests
  cachedResponses: CachedResponses
  reader: Reader
  credentials: Credentials
  windows: Windows
  exportSlots: Pick<ExportSlots, "load">
  exportMetrics: ExportMetrics
  logBuffer: (() => LogBufferReadings) | undefined
  fetches: (() => Readonly<Record<string, number>>) | undefined
  isReady: () => Promise<boolean>
  sourceReadings: ReadSourceReadings
}

export function createServiceMetrics(parts: MeasuredParts) {
  const { database } = parts
  const ofProcess = createProcessMetrics()
  const requests = createRequestMetrics()
  const watches = createWatchMetrics()

  async function families(): Promise<MetricFamily[]> {
    const data = await parts.sourceReadings()
    const found = [
      ...requests.collect(),
      ...databaseMetrics({ pools: database.poolReadings(), ...database.states() }),
      ...ofConnections(parts),
      ...ofMemory(parts),
      ...parts.exportMetrics.collect(parts.exportSlots.load()),
      ...(data ? [...dataMetrics(data), ...watches.collect(data.watches)] : []),
      ...ofProcess.collect(),
    ]
    // Last, because the time of this query must not count in the other metrics.
    const isReady = Number(await parts.isReady())
    return [...found, gauge("mds_ready", "1 while the service is ready, 0 otherwise", isReady)]
  }

  return {
    /** Counts each request. */
    requests,
    /** Counts each delivery of a watch. */
    watches,
    scrape: async () => metricsText(await families()),
    stop: ofProcess.stop,
  }
}

function ofConnections(parts: MeasuredParts): MetricFamily[] {
  const { redis, logBuffer, fetches, unauthenticated, notifications } = parts
  const buffer = logBuffer?.()
  const count = (value: number) => value
  return [
    gauge("mds_redis_up", "1 while Redis responds", redis && Number(redis.isResponding)),
    counter(
      "mds_redis_losses_total",
      "Number of times that Redis stopped responding",
      redis?.losses,
    ),
    gauge(
      "mds_notifications_listening",
      "1 while the process is subscribed to notifications of changes",
      Number(notifications.listening),
    ),
    counter(
      "mds_log_lines_dropped_total",
      "Log lines dropped because the buffer was full",
      buffer?.dropped,
    ),
    counter("mds_log_write_failures_total", "Failed writes of the log", buffer?.failures),
    gauge("mds_log_buffer_bytes", "Size of the unwritten log", buffer?.bytes),
    counter(
      "mds_fetches_total",
      "Fetches of this process, by outcome",
      byName("outcome", fetches?.() ?? {}, count),
    ),
    counter(
      "mds_unauthenticated_requests_total",
      "Requests without a valid token, by status",
      byName("status", unauthenticated.totals(), count),
    ),
  ]
}

function ofMemory({ cachedResponses, reader, credentials, windows }: MeasuredParts) {
  const { lookups, ...responses } = cachedResponses.readings()
  const caches = { responses, ...reader.cacheReadings(), ...credentials.cacheReadings() }
  const stores = { accounts: windows.accounts.store, addresses: windows.addresses.store }
  return [
    counter(
      "mds_response_cache_lookups_total",
      "Look-ups in the cache of whole responses",
      byName("result", lookups, (count) => count),
    ),
    gauge(
      "mds_cache_entries",
      "Entries of a cache",
      byName("cache", caches, ({ entries }) => entries),
    ),
    gauge(
      "mds_cache_bytes",
      "Estimated memory of a cache, in bytes",
      byName("cache", caches, ({ bytes }) => bytes),
    ),
    counter(
      "mds_cache_evictions_total",
      "Entries evicted from a cache to make room",
      byName("cache", caches, ({ evicted }) => evicted),
    ),
    gauge(
      "mds_windows",
      "Rate limit windows in memory",
      byName("of", stores, ({ size }) => size),
    ),
    gauge(
      "mds_windows_bytes",
      "Estimated memory of the rate limit windows, in bytes",
      byName("of", stores, ({ bytes }) => bytes),
    ),
    counter(
      "mds_windows_evicted_total",
      "Rate limit windows evicted for lack of memory while their requests still counted",
      byName("of", stores, ({ evicted }) => evicted),
    ),
  ]
}

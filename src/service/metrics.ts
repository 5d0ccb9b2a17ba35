/** The metrics of the parts. */
import type { Credentials } from "../access/credentials.ts"
import type { Windows } from "../access/windows.ts"
import type { CachedAnswers } from "../answers/cached-answers.ts"
import type { ExportCounts } from "../answers/export-counts.ts"
import type { ConcurrencyLimiter } from "../db/pool/concurrency-limiter.ts"
import { type ReaderCaches, readingsOf } from "../db/reader/reader.ts"
import { createSourceReadings } from "../db/reader/source-readings.ts"
import { describeError, type Log } from "../log/log.ts"
import type { LogBufferReadings } from "../log/log-buffer.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import { collectConnections } from "../metrics/connections.ts"
import { collectData } from "../metrics/data.ts"
import { collectDatabase, collectReadiness } from "../metrics/database.ts"
import { collectExports } from "../metrics/exports.ts"
import { collectMemory } from "../metrics/memory.ts"
import { createMetrics, type Metrics } from "../metrics/metrics.ts"
import { createProcessMetrics } from "../metrics/process.ts"
import { createRequestMetrics, type RequestMetrics } from "../metrics/requests.ts"
import type { RedisConnection } from "../redis/connection.ts"
import type { Database } from "./database.ts"

interface MeasuredParts {
  database: Database
  notifications: { readonly listening: boolean }
  redis: RedisConnection | null
  unauthenticated: UnauthenticatedRequests
  cachedAnswers: CachedAnswers
  readerCaches: ReaderCaches
  credentials: Credentials
  windows: Windows
  exportSlots: ConcurrencyLimiter
  exportCounts: ExportCounts
  logBuffer: (() => LogBufferReadings) | undefined
  fetches: (() => Readonly<Record<string, number>>) | undefined
  isReady: () => Promise<boolean>
  log: Log
  now: () => Date
}

export interface ServiceMetrics extends Metrics {
  /** Counts each request. */
  requests: RequestMetrics
  stop(): void
}

export function createServiceMetrics(parts: MeasuredParts): ServiceMetrics {
  const { database, cachedAnswers, credentials, windows, log, now } = parts
  const ofProcess = createProcessMetrics()
  const requests = createRequestMetrics()
  const readData = createSourceReadings(database.pools.housekeeping, now, (error) =>
    log.warn("the state of the sources was not read for the metrics", describeError(error)),
  )
  const { scrape } = createMetrics([
    requests.collect,
    collectDatabase(() => ({
      pools: database.poolReadings(),
      ...database.states(),
    })),
    collectConnections(() => ({
      redis: parts.redis,
      log: parts.logBuffer?.() ?? null,
      fetches: parts.fetches?.() ?? null,
      unauthenticated: parts.unauthenticated.totals(),
      listening: parts.notifications.listening,
    })),
    collectMemory(() => {
      const { lookups, ...answers } = cachedAnswers.readings()
      return {
        caches: { answers, ...readingsOf(parts.readerCaches), ...credentials.cacheReadings() },
        answerLookups: lookups,
        windows: { accounts: windows.accounts.store, addresses: windows.addresses.store },
      }
    }),
    collectExports(() => ({ ...parts.exportSlots.load(), ...parts.exportCounts.readings() })),
    collectData(readData),
    ofProcess.collect,
    // Last, because it asks the database, and what that takes is no part of the others.
    collectReadiness(parts.isReady),
  ])
  return { requests, scrape, stop: ofProcess.stop }
}

/** Builds the parts of the app and the server: pools, windows, caches, connections. */
import { createPageChanges } from "../access/change.ts"
import { createCredentials } from "../access/credentials.ts"
import { deleteRegularly } from "../access/expiry.ts"
import { createRecentRequests } from "../access/recent-requests.ts"
import { createUsage } from "../access/usage.ts"
import { createWindows, standardLimit, steadyNowMs } from "../access/windows.ts"
import type { AppOptions } from "../app.ts"
import type { Config } from "../config.ts"
import { cacheSizes } from "../db/cache.ts"
import { createTurns } from "../db/pool/turns.ts"
import { orWhereUnavailable, type Unavailable } from "../db/pool/unavailable.ts"
import { createHolderCompanies } from "../db/reader/holder-companies.ts"
import { cacheNewestRelease } from "../db/reader/newest-release.ts"
import { createReleases } from "../db/reader/releases.ts"
import { sharedRead } from "../db/reader/shared-read.ts"
import { createSourceLoads } from "../db/reader/source-loads.ts"
import { createSources } from "../db/reader/sources.ts"
import { createSuggestedHolders } from "../db/reader/suggested-holders.ts"
import { describeError, type Log } from "../log/log.ts"
import type { LogBufferReadings } from "../log/log-buffer.ts"
import { createOverloadLog } from "../log/overload-log.ts"
import { countUnauthenticated } from "../log/unauthenticated-requests.ts"
import { connectRedis } from "../redis/connection.ts"
import { createExportSlots } from "../responses/export-slots.ts"
import { settleWithin } from "../text/settle-within.ts"
import { followChanges } from "./changes.ts"
import { connectDatabase } from "./database.ts"
import { createServiceMetrics } from "./metrics.ts"
import { createResponseParts } from "./responses.ts"
import { createSignIn } from "./sign-in.ts"
import { createWriteReports } from "./write-reports.ts"

export interface PartsOptions {
  config: Config
  /** The URL of the database in the settings, or of the embedded one. */
  databaseUrl: string
  log: Log
  /** Reads the state of the log's buffer, if it has one. */
  logBuffer?: () => LogBufferReadings
  /** Counts the sources that the process has fetched, if it does. */
  fetches?: () => Readonly<Record<string, number>>
  now: () => Date
  /** A monotonic clock, in milliseconds. */
  steadyMs?: () => number
  /** The time limit of Redis, in milliseconds. */
  redisTimeoutMs?: number
}

export interface Parts {
  app: AppOptions
  /** From now on the service reports that it is not ready. */
  beginStopping(): void
  /** Aborts the exports in progress, so that none looks complete. */
  abortExports(): void
  /** Writes pending counts and mails, and closes every connection. */
  close(): Promise<void>
}

/** The readiness endpoint needs no token, so it queries the database at most once a second. */
const checkEveryMs = 1_000
/** The time limit of closing, since the database may not respond. */
const closeWithinMs = 2_000
/** The time limit of the last writes: shorter, so that their failure is logged before closing ends. */
const writeWithinMs = 1_500
/** Of one account. The window of the standard plan admits no more, so only larger plans reach it. */
const requestsAtOnce = standardLimit

/**
 * Waits for one attempt to connect to Redis and to the notifications of changes, at most a few seconds. The
 * service starts without either.
 */
export async function startParts(options: PartsOptions): Promise<Parts> {
  const { config, log, logBuffer, fetches, now, steadyMs = steadyNowMs } = options
  const sizes = cacheSizes(config.CACHE_MEMORY_MB * 1024 * 1024)
  const notWritten = createWriteReports(log)
  const clocks = { now, steadyMs }
  let stopping = false
  const isStopping = () => stopping

  const onLost = (error: Unavailable) => notifications.markUnavailable(error)
  const database = connectDatabase({ ...options, onLost })
  const { accounts: accountPool, records } = database.pools
  const credentials = createCredentials({
    pools: database.pools,
    sizes,
    onUseNotRecorded: notWritten("a token's last use was not recorded"),
  })
  const releases = cacheNewestRelease(createReleases(records), now)
  const exportSlots = createExportSlots({
    slots: config.MAX_EXPORTS,
    stallMs: config.EXPORT_STALL_SECONDS * 1000,
    steadyMs,
    onNotChecked: notWritten("an export's caller was not checked"),
  })
  const notifications = followChanges(
    { credentials, releases, exportSlots },
    { url: config.DATABASE_DIRECT_URL ?? options.databaseUrl, log },
  )
  // Connects before the first request, which retries and reports a failure.
  void Promise.allSettled([releases.current()])
  const [redis] = await Promise.all([reachRedis(options), notifications.ready])

  const windowMs = config.RATE_WINDOW_SECONDS * 1000
  const windows = createWindows({ windowMs, redis, ...clocks })
  const usage = createUsage({
    pool: accountPool,
    onFailure: notWritten("the use of accounts was not recorded"),
  })
  const recentRequests = createRecentRequests({
    pool: accountPool,
    onFailure: notWritten("the recent requests of accounts were not recorded"),
  })
  const signIn = createSignIn({ ...options, ...clocks, pool: accountPool, redis, notWritten })
  const stopDeleting = deleteRegularly({
    pool: accountPool,
    now,
    onFailure: notWritten("expired sessions and records of use were not deleted"),
  })

  const pools = database.readPools
  const readSources = createSources(database.pools)
  const responses = createResponseParts({
    ...options,
    ...clocks,
    sizes,
    pools,
    releases,
    exportSlots,
    readSources,
    redis,
  })

  const unauthenticated = countUnauthenticated({ log })
  const overload = createOverloadLog(log)
  // On another pool, because waiting token lookups must not make the service look unready.
  const checked = createReleases(accountPool)
  const readiness = sharedRead(checkEveryMs, now, () =>
    checked.current("readiness").catch(orWhereUnavailable(null)),
  )
  const metrics = createServiceMetrics({
    database,
    notifications,
    redis,
    credentials,
    windows,
    unauthenticated,
    ...responses.measured,
    logBuffer,
    fetches,
    isReady: async () => !stopping && (await readiness()) !== null,
    log,
    now,
  })

  async function closeAll(): Promise<void> {
    stopDeleting()
    const written = [usage, recentRequests, signIn].map((each) => each.stop(writeWithinMs))
    await Promise.all([...written, notifications.stop()])
    redis?.close()
    await database.close()
  }

  return {
    app: {
      ...responses.parts,
      ...signIn.parts,
      credentials,
      windows,
      usage,
      requestTurns: createTurns({
        places: Number.POSITIVE_INFINITY,
        placesPerAccount: requestsAtOnce,
        queuePerAccount: () => 0,
      }),
      recentRequests,
      accountPool,
      changeAccount: createPageChanges(database.sessionUrl),
      releases,
      readSources,
      sourceLoads: createSourceLoads(records),
      suggestedHolders: createSuggestedHolders(records),
      holderCompanies: createHolderCompanies(records),
      readiness,
      isStopping,
      metrics,
      requestMetrics: metrics.requests,
      partStates: () => {
        const { primary, replica } = database.states()
        return {
          database: answering(primary),
          replica: replica === null ? "unused" : answering(replica),
          redis: redis === null ? "unused" : answering(redis.answering),
          notifications: notifications.listening ? "listening" : "lost",
          fetches: fetches?.() ?? "unused",
        }
      },
      hasAdminPort: config.ADMIN_PORT !== 0,
      baseUrl: config.BASE_URL,
      trustedProxies: config.TRUSTED_PROXIES,
      unauthenticated,
      overload,
      log,
      now,
    },
    beginStopping: () => {
      stopping = true
    },
    abortExports: exportSlots.stop,
    close: async () => {
      unauthenticated.stop()
      overload.stop()
      metrics.stop()
      await settleWithin(closeWithinMs, closeAll(), connectionsStillOpen).catch(
        (error: unknown) => {
          log.warn("connections were not closed in time", describeError(error))
        },
      )
    },
  }
}

const answering = (isResponding: boolean) => (isResponding ? "answering" : "lost")

/** Waits for one attempt to connect. The service also starts without Redis. */
async function reachRedis({ config, log, redisTimeoutMs }: PartsOptions) {
  if (!config.REDIS_URL) return null
  const redis = connectRedis({
    url: config.REDIS_URL,
    answerWithinMs: redisTimeoutMs,
    onLost: (reason) =>
      log.warn(
        "Redis does not respond: each process applies limits by itself",
        describeError(reason),
      ),
    onBack: () => log.info("Redis responds: limits are shared"),
  })
  await redis.ready
  return redis
}

const connectionsStillOpen = (limitMs: number) =>
  new Error(`Connections are still open after ${limitMs} ms`)

/** The running service: its pools, its windows, its app and its server, wired from the settings. */
import { type Credentials, createCredentials } from "./access/credentials.ts"
import { createUsage } from "./access/usage.ts"
import { createWindows } from "./access/windows.ts"
import { createCrawls } from "./answers/sequences/page-sequences.ts"
import { createSharedCrawls } from "./answers/sequences/shared-page-sequences.ts"
import { createApp } from "./app.ts"
import type { Config } from "./config.ts"
import { cacheSizes } from "./db/cache.ts"
import { isForbidden } from "./db/forbidden.ts"
import { keepListening } from "./db/notifications.ts"
import { keepHolding } from "./db/pinned-releases.ts"
import { createConcurrencyLimiter } from "./db/pool/concurrency-limiter.ts"
import { createPool, type PoolOptions } from "./db/pool/pool.ts"
import { createReader } from "./db/reader/reader.ts"
import { createReadiness } from "./db/reader/readiness.ts"
import { createReleases } from "./db/reader/releases.ts"
import { describeError, type Log } from "./log/log.ts"
import type { LogBufferReadings } from "./log/log-buffer.ts"
import { countUnauthenticated } from "./log/unauthenticated-requests.ts"
import { createMetrics } from "./metrics.ts"
import { connectRedis, type RedisConnection } from "./redis/connection.ts"
import { startServer } from "./server.ts"

export interface ServiceOptions {
  config: Config
  /** The database to serve: the settings' own or the embedded one. */
  databaseUrl: string
  log: Log
  /** Reads the state of the buffer that the log is written through, where there is one. */
  logBuffer?: () => LogBufferReadings
  now: () => Date
}

export interface Service {
  /** Where it is reached on this machine. */
  url: string
  /** Reports that it is not ready, answers what is under way, then closes every connection. */
  stop(): Promise<void>
}

const housekeepingConnections = 2
const suspectConnections = 1
/** Ample for the newest release, and below what those who check commonly wait. */
const readinessTimeoutMs = 2_000

/** The longest that a stopping service waits for its database, which may be silent. */
const closeWithinMs = 2_000

/** Starts serving. Of what it can do without, it waits for one attempt, which takes some seconds at most. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, log, now } = options
  const pools = createPools(options)
  const { housekeeping } = pools
  const redis = config.REDIS_URL ? await reachRedis(config.REDIS_URL, options) : null

  const releases = createReleases(pools.lookups)
  const sizes = cacheSizes(config.CACHE_MEMORY_MB * 1024 * 1024)
  const crawls = createCrawls(redis && createSharedCrawls(redis), sizes.crawls)
  const credentials = createCredentials(pools, sizes)
  const notices = await followNotices(credentials, options)
  const notWritten = createWriteReports(log)
  const usage = createUsage({
    pool: housekeeping,
    now,
    onFailure: notWritten("the use of accounts was not written"),
  })
  const windows = createWindows({
    windowMs: config.RATE_WINDOW_SECONDS * 1000,
    maxBytes: config.WINDOW_MEMORY_MB * 1024 * 1024,
    now,
    redis,
  })
  const unauthenticated = countUnauthenticated({ log })
  let stopping = false
  const metrics = createMetrics(() => ({
    redis,
    log: options.logBuffer?.() ?? null,
    unauthenticated: unauthenticated.totals(),
    noticed: notices.listening,
    windows: { accounts: windows.accounts.store, addresses: windows.addresses.store },
    pools: Object.fromEntries(Object.entries(pools).map(([name, { load }]) => [name, load()])),
  }))
  const app = createApp({
    credentials,
    windows,
    usage,
    releases,
    reader: createReader(pools, sizes),
    exportSlots: createConcurrencyLimiter({
      slots: config.MAX_EXPORTS,
      slotsPerAccount: Math.ceil(config.MAX_EXPORTS / 5),
      queueLength: config.QUEUE_LENGTH,
      queueLengthPerAccount: config.ACCOUNT_QUEUE_LENGTH,
    }),
    exportWaitMs: config.QUEUE_SECONDS * 1000,
    crawls,
    readiness: createReadiness(createReleases(pools.readiness).current, now),
    metrics,
    conditions: () => ({
      redis: redis === null ? "unused" : redis.answering ? "answering" : "lost",
      notices: notices.listening ? "listening" : "lost",
    }),
    isStopping: () => stopping,
    baseUrl: config.BASE_URL,
    exportStallMs: config.EXPORT_STALL_SECONDS * 1000,
    onUseNotNoted: notWritten("a token's last use was not noted"),
    log,
    now,
  })
  const server = startServer({
    app,
    hostname: config.HOST,
    port: config.PORT,
    trustedProxies: config.TRUSTED_PROXIES,
    unauthenticated,
    isStopping: () => stopping,
    log,
  })
  const holds = keepHolding(
    housekeeping,
    () => crawls.oldest(now().getTime()),
    notWritten("the releases being read were not noted"),
  )
  const shown = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST
  async function close(): Promise<void> {
    await Promise.all([holds.stop(), usage.stop(), notices.stop()])
    redis?.close()
    await Promise.all(Object.values(pools).map((each) => each.close()))
  }
  return {
    url: `http://${shown === "0.0.0.0" ? "localhost" : shown}:${server.port}`,
    stop: async () => {
      stopping = true
      const delaySeconds = Math.min(config.SHUTDOWN_DELAY_SECONDS, config.SHUTDOWN_SECONDS)
      await Bun.sleep(delaySeconds * 1000)
      await server.stop((config.SHUTDOWN_SECONDS - delaySeconds) * 1000)
      unauthenticated.stop()
      const overdue = Bun.sleep(closeWithinMs).then(() => true)
      if (await Promise.race([close(), overdue])) log.warn("connections were not closed in time")
    },
  }
}

/** Logs what could not be written; that this process may write nothing at all, only once. */
function createWriteReports(log: Log) {
  let reported = false
  return (event: string) =>
    (error: unknown): void => {
      if (!isForbidden(error)) {
        log.warn(event, describeError(error))
      } else if (!reported) {
        reported = true
        log.warn(
          "the database lets this process only read: the use of accounts and tokens, and the releases being read, are not recorded",
          describeError(error),
        )
      }
    }
}

/** Each kind of work has connections of its own, so that none waits for another. */
function createPools({ config, databaseUrl }: ServiceOptions) {
  const pool = (name: string, connections: number, options: Partial<PoolOptions> = {}) =>
    createPool(databaseUrl, {
      name,
      connections,
      queueLength: config.QUEUE_LENGTH,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_SECONDS * 1000,
      ...options,
    })
  /** Of what accounts ask for: half of the connections are left to others, so that they need not wait. */
  const fairPool = (name: string, connections: number, options: Partial<PoolOptions> = {}) =>
    pool(name, connections, {
      connectionsPerAccount: Math.ceil(connections / 2),
      queueLengthPerAccount: config.ACCOUNT_QUEUE_LENGTH,
      waitMs: config.QUEUE_SECONDS * 1000,
      ...options,
    })
  return {
    lookups: fairPool("lookups", config.LOOKUP_CONNECTIONS),
    pages: fairPool("pages", config.REQUEST_CONNECTIONS),
    counts: fairPool("counts", config.COUNT_CONNECTIONS),
    // Its queue is as long as there are exports under way, and one that has begun should not fail in it.
    exports: fairPool("exports", config.EXPORT_CONNECTIONS, {
      queueLength: config.MAX_EXPORTS,
      queueLengthPerAccount: config.MAX_EXPORTS,
      waitMs: config.EXPORT_STALL_SECONDS * 1000,
    }),
    housekeeping: pool("housekeeping", housekeepingConnections),
    suspects: pool("suspects", suspectConnections),
    // No check waits for another: while one is under way, the next is refused.
    readiness: createPool(databaseUrl, {
      name: "readiness",
      connections: 1,
      queueLength: 0,
      statementTimeoutMs: readinessTimeoutMs,
    }),
  }
}

async function reachRedis(url: string, { config, log }: ServiceOptions): Promise<RedisConnection> {
  const redis = connectRedis({
    url,
    answerWithinMs: config.REDIS_TIMEOUT_MS,
    onLost: (error) =>
      log.warn("Redis does not answer: limits are kept by each process", describeError(error)),
    onBack: () => log.info("Redis answers: limits are shared"),
  })
  await redis.ready
  return redis
}

/** Keeps what is known of tokens in step with the database. */
async function followNotices(credentials: Credentials, { databaseUrl, log }: ServiceOptions) {
  let listening = false
  let losses = 0
  const set = (comes: boolean): void => {
    listening = comes
    credentials.setNoticed(comes)
  }
  const { ready, stop } = keepListening(databaseUrl, {
    onListening: () => {
      set(true)
      if (losses > 0) log.info("notices of changed accounts come again")
    },
    onChange: credentials.forget,
    onLost: (error) => {
      set(false)
      losses++
      log.warn(
        "notices of changed accounts do not come: each request looks its token up",
        describeError(error),
      )
    },
  })
  await ready
  return {
    get listening() {
      return listening
    },
    stop,
  }
}

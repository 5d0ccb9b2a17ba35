/** The base of all parts: the settings, the database, Redis, the sizes of caches, the clocks and the log. */
import { steadyNowMs } from "../../accounts/access/windows.ts"
import type { Config } from "../../config.ts"
import { cacheSizes } from "../../data/db/cache.ts"
import { isForbidden } from "../../data/db/database-errors.ts"
import { describeError, type Log } from "../log/log.ts"
import { connectRedis } from "../redis/connection.ts"
import { digest } from "../text/digest.ts"
import { connectDatabase } from "./database.ts"

export interface BaseOptions {
  config: Config
  /** The URL of the database in the settings, or of the embedded one. */
  databaseUrl: string
  log: Log
  now: () => Date
  /** A monotonic clock, in milliseconds. */
  steadyMs?: () => number
  /** The time limit of Redis, in milliseconds. */
  redisTimeoutMs?: number
}

export type Base = ReturnType<typeof createBase>

export function createBase(options: BaseOptions) {
  const { config, databaseUrl, log, now, steadyMs = steadyNowMs } = options
  return {
    config,
    sizes: cacheSizes(config.CACHE_MEMORY_MB * 1024 * 1024),
    database: connectDatabase(options),
    redis: openRedis(options),
    /** Both addresses usually have a password. */
    secret: digest(`${databaseUrl} ${config.REDIS_URL}`),
    notWritten: createWriteReports(log),
    log,
    now,
    steadyMs,
  }
}

function openRedis({ config, log, redisTimeoutMs }: BaseOptions) {
  if (!config.REDIS_URL) return null
  return connectRedis({
    url: config.REDIS_URL,
    timeoutMs: redisTimeoutMs,
    onLost: (reason) =>
      log.warn(
        "Redis does not respond: each process applies limits by itself",
        describeError(reason),
      ),
    onBack: () => log.info("Redis responds: limits are shared"),
  })
}

/** Logs failed writes. It logs only once that the database is read-only for this process. */
function createWriteReports(log: Log) {
  let reported = false
  return (event: string) =>
    (error: unknown, fields: Record<string, unknown> = {}): void => {
      if (!isForbidden(error)) {
        log.warn(event, { ...fields, ...describeError(error) })
      } else if (!reported) {
        reported = true
        log.warn(
          "the database lets this process only read: the use of accounts and tokens is not recorded",
          describeError(error),
        )
      }
    }
}

/** Redis, which a service starts without where it is not reached. */
import { type Config, ConfigError } from "../config.ts"
import { describeError, type Log } from "../log/log.ts"
import { connectRedis, type RedisConnection } from "../redis/connection.ts"

/**
 * Waits for one attempt to connect.
 * @throws ConfigError where it is one that cannot be used
 */
export async function reachRedis(
  { REDIS_URL, REDIS_TIMEOUT_MS }: Pick<Config, "REDIS_URL" | "REDIS_TIMEOUT_MS">,
  log: Log,
): Promise<RedisConnection | null> {
  if (!REDIS_URL) return null
  const redis = connectRedis({
    url: REDIS_URL,
    answerWithinMs: REDIS_TIMEOUT_MS,
    onLost: (error) =>
      log.warn("Redis does not answer: limits are kept by each process", describeError(error)),
    onBack: () => log.info("Redis answers: limits are shared"),
  })
  await redis.ready
  if (redis.unsupported) {
    redis.close()
    throw new ConfigError(`Cannot use the settings:\nREDIS_URL: ${redis.unsupported.message}`)
  }
  return redis
}

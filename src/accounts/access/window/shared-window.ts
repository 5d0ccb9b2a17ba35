/**
 * A window that several processes share through Redis, with a local window in each process.
 *
 * A process admits a request to its local window, then asks Redis, and withdraws the request from its local
 * window if Redis denies it. So it never admits more than the limit, even if Redis fails or loses its data,
 * and a request that the local window denies costs Redis nothing. While Redis does not respond, each process
 * uses only its local window.
 */
import { type RedisConnection, redisScript } from "../../../system/redis/connection.ts"
import type { WindowDecision, WindowStore } from "./sliding-window.ts"

/**
 * The log in Redis is a list of the times of admitted requests, in milliseconds by the clock of Redis, oldest
 * first. The script finds the expired times by doubling and halving steps from the old end.
 */
export const windowScript = redisScript(`
local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call("TIME")
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local function timeAt(index) return tonumber(redis.call("LINDEX", key, index)) end

local size = redis.call("LLEN", key)
local newest = size > 0 and timeAt(-1) or now
-- The clock was corrected: times of the future would deny for as long as it was wrong.
if newest > now + window then redis.call("DEL", key); size, newest = 0, now end

-- All before low have expired; the one at high, if there is one, has not.
local low, high = 0, 1
while high <= size and timeAt(high - 1) + window <= now do low, high = high, 2 * high end
high = math.min(high - 1, size)
while low < high do
  local middle = math.floor((low + high) / 2)
  if timeAt(middle) + window <= now then low = middle + 1 else high = middle end
end
if low > 0 then redis.call("LTRIM", key, low, -1) end

local used = size - low
local admitted = used < limit
if admitted and ARGV[3] == "admit" then
  redis.call("RPUSH", key, math.max(now, newest))
  redis.call("PEXPIRE", key, window + 1)
  used = used + 1
end
local wait = used > 0 and timeAt(math.max(0, used - limit)) + window - now or window
return { admitted and 1 or 0, used, wait }
`)

export interface SharedWindowOptions {
  redis: Pick<RedisConnection, "run">
  local: WindowStore
  windowMs: number
  /** The key in Redis of the log of a key. */
  redisKeyOf: (key: string) => string
  steadyMs: () => number
}

/** The functions of `WindowStore`, across processes. */
export function createSharedWindow(options: SharedWindowOptions) {
  const { redis, local, windowMs, redisKeyOf, steadyMs } = options

  const decide =
    (intent: "admit" | "peek") =>
    async (key: string, limit: number): Promise<WindowDecision> => {
      const own = local[intent](key, limit, steadyMs())
      if (!own.admitted) return own
      const args = [String(limit), String(windowMs), intent]
      const shared = readDecision(await redis.run(windowScript, redisKeyOf(key), ...args))
      if (!shared) return own
      if (!shared.admitted) {
        if (intent === "admit") local.withdraw(key)
        return shared
      }
      // If the local window is full, its reset counts too: both windows must admit a caller that waits until
      // the reset.
      const waitMs = own.used < limit ? shared.waitMs : Math.max(own.waitMs, shared.waitMs)
      return { admitted: true, used: Math.max(own.used, shared.used), waitMs }
    }

  return { admit: decide("admit"), peek: decide("peek") }
}

/** Undefined if the reply is not from the script. */
function readDecision(reply: unknown): WindowDecision | undefined {
  if (!Array.isArray(reply)) return undefined
  const [admitted, used, waitMs]: unknown[] = reply
  if (typeof used !== "number" || typeof waitMs !== "number") return undefined
  return { admitted: admitted === 1, used, waitMs }
}

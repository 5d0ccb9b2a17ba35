/**
 * The exact sliding window of a key that several processes share: a log in Redis, and the script that
 * evaluates it. Scripts are atomic, so that no two requests take the same slot, and this one reads the
 * server's clock, so that the clocks of the processes need not agree.
 *
 * The log is a list: the number of requests in it, then its runs from the oldest on, a timestamp and
 * the number of requests with it. The resolution of the timestamps is that of
 * `timestamp-resolution.ts`. Redis packs the numbers of a list, so that a run takes about 12 bytes. A
 * request usually costs two short reads, two writes and the new expiry, however long the log. Expired
 * runs are read in blocks of doubling size, and removed by one command.
 *
 * A request whose timestamp would precede the newest is added to the newest run. So after the
 * server's clock was set back, the window opens again once the clock has caught up. If the clock is
 * behind the newest run by more than any log can explain, it was corrected, and the log is cleared,
 * as it could otherwise deny a caller for days.
 *
 * A log can be compacted: once it has `maxExactRuns`, further requests are logged with a resolution of
 * a window divided by `maxExactRuns`, so that it never has many more than twice as many runs. These
 * requests count longer by less than that resolution, and never shorter.
 *
 * A denied request only removes expired runs from the log; a peek writes nothing. Where memory is
 * full, Redis refuses the first command of a script that needs memory, so a request is logged as a
 * whole or not at all.
 */
import { redisScript } from "../../redis/script.ts"
import { resolutionMs } from "./timestamp-resolution.ts"

export const windowScript = redisScript(`
local key = KEYS[1]
local limit, window, resolution = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local admits = ARGV[4] == "admit"
local maxExactRuns, compacted = tonumber(ARGV[5]), tonumber(ARGV[6])

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local head = redis.call("LRANGE", key, 0, 2)
local total, first = tonumber(head[1] or 0), tonumber(head[2])
local newest, inNewest, start = 0, 0, 1

-- The first of the remaining runs that matches: its index in the list and its timestamp.
local function find(matches)
  local from, size = start, 4
  repeat
    size = math.min(2 * size, 512)
    local block = redis.call("LRANGE", key, from, from + size - 1)
    for i = 1, #block, 2 do
      local at = tonumber(block[i])
      if matches(at, tonumber(block[i + 1])) then return from + i - 1, at end
    end
    from = from + #block
  until #block == 0
end

if total > 0 then
  local tail = redis.call("LRANGE", key, -2, -1)
  newest, inNewest = tonumber(tail[1]), tonumber(tail[2])
  local expired = newest + window <= now
  local corrected = newest > now + window + compacted
  if expired or corrected then
    if admits then redis.call("DEL", key) end
    total, newest = 0, 0
  elseif first + window <= now then
    start, first = find(function(at, count)
      if at + window > now then return true end
      total = total - count
    end)
  end
end

local admitted = total < limit
local logged = total
if admits and admitted then
  logged = total + 1
  if compacted > resolution and redis.call("LLEN", key) > 2 * maxExactRuns then resolution = compacted end
  local at = math.ceil(now / resolution) * resolution
  if total == 0 then
    redis.call("RPUSH", key, 1, at, 1)
    first = at
  elseif at > newest then
    redis.call("RPUSH", key, at, 1)
  else
    redis.call("LSET", key, -1, inNewest + 1)
  end
  if at > newest then redis.call("PEXPIRE", key, at + window - now) end
end
if admits and total > 0 and (admitted or start > 1) then
  -- The element before the oldest remaining run becomes the total.
  if start > 1 then redis.call("LTRIM", key, start - 1, -1) end
  redis.call("LSET", key, 0, logged)
  start = 1
end

local wait = window
if logged > 0 and limit > 0 then
  local beyond = logged - limit
  if beyond > 0 then
    local _, at = find(function(_, count)
      if count > beyond then return true end
      beyond = beyond - count
    end)
    first = at
  end
  wait = first + window - now
end
return { admitted and 1 or 0, math.max(0, limit - logged), wait }
`)

/** The script's decision on a request, or on the next one for a peek. */
export interface Decision {
  admitted: boolean
  remaining: number
  /** The time from now until the reset, as `WindowState` defines it. */
  waitMs: number
}

export type Intent = "admit" | "peek"

export interface WindowQuestion {
  /** An integer. */
  limit: number
  windowMs: number
  intent: Intent
  /** How many runs the log may have before it is compacted. */
  maxExactRuns: number
}

/** The script's arguments after the key. */
export const windowArguments = (question: WindowQuestion): string[] => [
  String(question.limit),
  String(question.windowMs),
  String(resolutionMs(question.limit, question.windowMs)),
  question.intent,
  String(question.maxExactRuns),
  String(maxResolutionMs(question)),
]

/** A request counts longer than its window by less than this. */
export const maxResolutionMs = ({
  limit,
  windowMs,
  maxExactRuns,
}: Omit<WindowQuestion, "intent">): number =>
  Math.max(
    resolutionMs(limit, windowMs),
    limit > maxExactRuns ? Math.ceil(windowMs / maxExactRuns) : 1,
  )

/** Undefined where it is not a reply of the script. */
export function readDecision(reply: unknown): Decision | undefined {
  if (!Array.isArray(reply)) return undefined
  const [admitted, remaining, waitMs]: unknown[] = reply
  if (typeof remaining !== "number" || typeof waitMs !== "number") return undefined
  return { admitted: admitted === 1, remaining, waitMs }
}

/**
 * The exact sliding window of a key that several processes share: a log in Redis, and the script
 * that asks it. A script runs alone, so that no two requests take the same place, and reads the
 * server's clock, so that those of the processes need not agree.
 *
 * The log is a list: how many requests it holds, then its runs from the oldest on, a time and how
 * many requests came at it. Times are those of `granule.ts`, whose terms hold here too. Redis packs
 * the numbers of a list, which makes about 12 bytes of a run. A request usually costs two short
 * reads, two writes and the new expiry, however long the log. Runs that have left are read in blocks,
 * each twice the last, and cut off all at once.
 *
 * A request that would come before the newest is logged with it. So after a step back of the
 * server's clock the window opens again once the clock is where it was. Where it is behind the newest
 * by more than any log can tell, it was corrected, and the log begins anew rather than shut a caller
 * out for days.
 *
 * A log can be kept brief: once it holds `maxExactRuns`, more requests are logged by granules of that
 * part of a window, so that it never holds many more than twice as many. They count longer by less
 * than a granule, and never shorter.
 *
 * A denied request leaves the log as it is, but for what has left the window; to look writes nothing.
 * Where memory is full, Redis refuses the first command of a script that needs some, so a request is
 * logged whole or not at all.
 */
import { redisScript } from "../../redis/script.ts"
import { resolutionMs } from "./timestamp-resolution.ts"

export const windowScript = redisScript(`
local key = KEYS[1]
local limit, window, granule = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local takes = ARGV[4] == "admit"
local maxExactRuns, coarse = tonumber(ARGV[5]), tonumber(ARGV[6])

local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local head = redis.call("LRANGE", key, 0, 2)
local total, first = tonumber(head[1] or 0), tonumber(head[2])
local newest, inNewest, start = 0, 0, 1

-- The first run, from the oldest left, that is what is sought: its place in the list and its time.
local function find(isSought)
  local from, size = start, 4
  repeat
    size = math.min(2 * size, 512)
    local block = redis.call("LRANGE", key, from, from + size - 1)
    for i = 1, #block, 2 do
      local at = tonumber(block[i])
      if isSought(at, tonumber(block[i + 1])) then return from + i - 1, at end
    end
    from = from + #block
  until #block == 0
end

if total > 0 then
  local tail = redis.call("LRANGE", key, -2, -1)
  newest, inNewest = tonumber(tail[1]), tonumber(tail[2])
  local spent = newest + window <= now
  local corrected = newest > now + window + coarse
  if spent or corrected then
    if takes then redis.call("DEL", key) end
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
if takes and admitted then
  logged = total + 1
  if coarse > granule and redis.call("LLEN", key) > 2 * maxExactRuns then granule = coarse end
  local at = math.ceil(now / granule) * granule
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
if takes and total > 0 and (admitted or start > 1) then
  -- The element before the oldest run that is left makes room for the total.
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

/** What the script says of a request, or of the next one where it only looked. */
export interface Decision {
  admitted: boolean
  remaining: number
  /** How long from now until the window's reset, as `WindowState` has it. */
  waitMs: number
}

export type Intent = "admit" | "peek"

export interface WindowQuestion {
  /** A whole number. */
  limit: number
  windowMs: number
  intent: Intent
  /** How many runs the log holds before it is kept brief. */
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

/** By how much less than this a request may count longer than its window. */
export const maxResolutionMs = ({
  limit,
  windowMs,
  maxExactRuns,
}: Omit<WindowQuestion, "intent">): number =>
  Math.max(
    resolutionMs(limit, windowMs),
    limit > maxExactRuns ? Math.ceil(windowMs / maxExactRuns) : 1,
  )

/** Undefined for what is no reply of the script. */
export function readDecision(reply: unknown): Decision | undefined {
  if (!Array.isArray(reply)) return undefined
  const [admitted, remaining, waitMs]: unknown[] = reply
  if (typeof remaining !== "number" || typeof waitMs !== "number") return undefined
  return { admitted: admitted === 1, remaining, waitMs }
}

/**
 * A window that several processes share through Redis, and that each of them also keeps by itself.
 *
 * What a process has admitted is logged in its own window as well, when Redis has answered, and that
 * window is asked first. So a process never admits more than the limit in a window, whatever becomes
 * of Redis and its data, and a caller that one process has to deny costs Redis nothing. While Redis
 * does not answer, each process decides alone; together they may then admit as many times the limit
 * as there are of them, and no more.
 *
 * A request that Redis is being asked for has a place in the own window already. Without that,
 * requests at the same time could all find the last place there free, and one that Redis has admitted
 * and counted would in the end have to be denied.
 */

import type { RedisConnection } from "../../redis/connection.ts"
import type { WindowState, WindowStore } from "./sliding-window.ts"
import { exactRuns } from "./timestamp-resolution.ts"
import {
  type Decision,
  type Intent,
  maxResolutionMs,
  readDecision,
  windowArguments,
  windowScript,
} from "./window-script.ts"

export interface SharedWindow {
  /** Asks for one request. `limit` is as for `WindowStore`. */
  admit(key: string, limit: number): Promise<WindowState>
  /** The same state without a request: counts nothing, here or in Redis. */
  peek(key: string, limit: number): Promise<WindowState>
}

export interface SharedWindowOptions {
  redis: Pick<RedisConnection, "run">
  local: WindowStore
  windowMs: number
  layout: RedisLayout
  now: () => Date
}

export interface RedisLayout {
  /** Where in Redis the log of a key is. */
  keyOf: (key: string) => string
  /** How many runs a log there holds before it is counted brief, see the script. */
  maxExactRuns: number
}

export function createSharedWindow({
  redis,
  local,
  windowMs,
  layout: { keyOf, maxExactRuns },
  now,
}: SharedWindowOptions): SharedWindow {
  /** By key, how many requests Redis is being asked for, and the last of them. */
  const pending = new Map<string, { requests: number; last: Promise<WindowState> }>()
  const nowMs = () => now().getTime()

  async function admit(key: string, limit: number): Promise<WindowState> {
    if (limit === Number.POSITIVE_INFINITY) return local.admit(key, limit, nowMs())
    const { remaining } = local.peek(key, limit, nowMs())
    if (remaining === 0) return deny(key, limit)
    const others = pending.get(key)
    if (others && remaining <= others.requests) {
      // When there will be room again is known only once those are logged.
      await others.last
      return deny(key, limit)
    }
    const last = decide(key, limit)
    pending.set(key, { requests: (others?.requests ?? 0) + 1, last })
    return last
  }

  async function decide(key: string, limit: number): Promise<WindowState> {
    const decision = await ask(key, limit, "admit")
    leave(key)
    const atMs = nowMs()
    if (!decision) return local.admit(key, limit, atMs)
    const counted = decision.admitted ? local.admit(key, limit, atMs) : local.peek(key, limit, atMs)
    return both(counted, decision, atMs)
  }

  async function peek(key: string, limit: number): Promise<WindowState> {
    const seen = local.peek(key, limit, nowMs())
    if (limit === Number.POSITIVE_INFINITY) return seen
    if (!seen.admitted) return deny(key, limit)
    const decision = await ask(key, limit, "peek")
    const atMs = nowMs()
    const counted = local.peek(key, limit, atMs)
    return decision ? both(counted, decision, atMs) : counted
  }

  async function ask(key: string, limit: number, intent: Intent): Promise<Decision | undefined> {
    const parameters = windowArguments({ limit, windowMs, intent, maxExactRuns })
    return readDecision(await redis.run(windowScript, [keyOf(key)], parameters))
  }

  function leave(key: string): void {
    const left = pending.get(key)
    if (left && left.requests > 1) left.requests--
    else pending.delete(key)
  }

  /** By the own window alone. Granules in Redis end by its clock, so a log there may leave that much later. */
  function deny(key: string, limit: number): WindowState {
    const seen = local.peek(key, limit, nowMs())
    const laterMs = maxResolutionMs({ limit, windowMs, maxExactRuns }) - 1
    return { ...seen, admitted: false, remaining: 0, resetAtMs: seen.resetAtMs + laterMs }
  }

  return { admit, peek }
}

/**
 * What both windows say together. The reset is told as of the reply, in this process's time, so that
 * its clock and the server's need not agree. Where the own window is full, its reset counts as well:
 * it lags behind by the time that the reply took, and who waits as told must find both open.
 */
function both(
  local: WindowState,
  { admitted, remaining, waitMs }: Decision,
  atMs: number,
): WindowState {
  const resetAtMs = atMs + waitMs
  return {
    admitted: local.admitted && admitted,
    limit: local.limit,
    remaining: Math.min(local.remaining, remaining),
    resetAtMs: local.remaining === 0 ? Math.max(local.resetAtMs, resetAtMs) : resetAtMs,
  }
}

/** The logs of accounts in Redis: one for each, and as exact as they are in a process. */
export const accountLayout: RedisLayout = {
  keyOf: (id) => `mds:window:account:${id}`,
  maxExactRuns: exactRuns,
}

const addressSlots = 65_536

/**
 * The logs of addresses in Redis: 65,536 slots, of at most about 100 runs each. Anyone can send from
 * random addresses as often as he likes, and may not fill the Redis that accounts depend on: these
 * take some 100 MB at the most, whatever comes. Addresses of one slot share its window, and whoever
 * comes often has to wait up to 72 seconds longer; that concerns requests without a valid token
 * alone, for no other is counted by its address. The hash is the same in every process and release.
 */
export const addressLayout: RedisLayout = {
  keyOf: (address) => `mds:window:address:${Bun.hash.xxHash32(address, 0) % addressSlots}`,
  maxExactRuns: 50,
}

/**
 * A window that several processes share through Redis, with a local window in each of them.
 *
 * What Redis admits is logged in the local window too, and the local window is checked first. So a
 * process never admits more than the limit in a window, even if Redis fails or loses its data, and a
 * request that a process can deny by itself costs Redis nothing. While Redis does not answer, each
 * process decides alone: n processes may then admit n times the limit together, and no more.
 *
 * A request reserves a slot in the local window while Redis is asked. Otherwise concurrent requests
 * could all see the last slot free, and one that Redis has admitted and counted would have to be
 * denied in the end.
 */
import type { RedisConnection } from "../../redis/connection.ts"
import { type AttachedCall, followedBy, type RedisScript } from "../../redis/script.ts"
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
  /**
   * Admits or denies one request. `limit` is as for `WindowStore`.
   * @param attach if Redis is asked: gives a call for the same round trip, which is made only if the request is admitted
   */
  admit(key: string, limit: number, attach?: () => AttachedCall | undefined): Promise<WindowState>
  /** The state without a request: counts nothing, here or in Redis. */
  peek(key: string, limit: number): Promise<WindowState>
}

export interface SharedWindowOptions {
  redis: Pick<RedisConnection, "run">
  local: WindowStore
  windowMs: number
  layout: RedisLayout
  now: () => Date
}

/** How the logs of one kind of key are stored in Redis. */
export interface RedisLayout {
  /** The Redis key of the log of a key. */
  keyOf: (key: string) => string
  /** How many runs a log may have before it is compacted, see the script. */
  maxExactRuns: number
}

export function createSharedWindow({
  redis,
  local,
  windowMs,
  layout: { keyOf, maxExactRuns },
  now,
}: SharedWindowOptions): SharedWindow {
  /** By key: the number of requests for which Redis is being asked, and the last of them. */
  const pending = new Map<string, { requests: number; last: Promise<WindowState> }>()
  const nowMs = () => now().getTime()

  async function admit(
    key: string,
    limit: number,
    attach?: () => AttachedCall | undefined,
  ): Promise<WindowState> {
    if (limit === Number.POSITIVE_INFINITY) return local.admit(key, limit, nowMs())
    const { remaining } = local.peek(key, limit, nowMs())
    if (remaining === 0) return deny(key, limit)
    const others = pending.get(key)
    if (others && remaining <= others.requests) {
      // Only once those are logged is it known when a slot will be free again.
      await others.last
      return deny(key, limit)
    }
    const last = decide(key, limit, attach?.())
    pending.set(key, { requests: (others?.requests ?? 0) + 1, last })
    return last
  }

  async function decide(
    key: string,
    limit: number,
    attached: AttachedCall | undefined,
  ): Promise<WindowState> {
    const [reply, attachedReply] = attached
      ? await askWith(attached, key, limit)
      : [await ask(key, limit, "admit")]
    removePending(key)
    const state = stateAfter(key, limit, readDecision(reply))
    if (state.admitted) attached?.receive(attachedReply)
    return state
  }

  function stateAfter(key: string, limit: number, decision: Decision | undefined): WindowState {
    const atMs = nowMs()
    if (!decision) return local.admit(key, limit, atMs)
    const counted = decision.admitted ? local.admit(key, limit, atMs) : local.peek(key, limit, atMs)
    return combine(counted, decision, atMs)
  }

  async function peek(key: string, limit: number): Promise<WindowState> {
    const seen = local.peek(key, limit, nowMs())
    if (limit === Number.POSITIVE_INFINITY) return seen
    if (!seen.admitted) return deny(key, limit)
    const decision = readDecision(await ask(key, limit, "peek"))
    const atMs = nowMs()
    const counted = local.peek(key, limit, atMs)
    return decision ? combine(counted, decision, atMs) : counted
  }

  const argumentsOf = (limit: number, intent: Intent): string[] =>
    windowArguments({ limit, windowMs, intent, maxExactRuns })

  const ask = (key: string, limit: number, intent: Intent): Promise<unknown> =>
    redis.run(windowScript, [keyOf(key)], argumentsOf(limit, intent))

  /** The replies of the window and of the attached call. */
  async function askWith(
    { script, keys, args }: AttachedCall,
    key: string,
    limit: number,
  ): Promise<unknown[]> {
    const own = argumentsOf(limit, "admit")
    const replies = await redis.run(
      windowFollowedBy(script),
      [keyOf(key), ...keys],
      [String(own.length), ...own, ...args],
    )
    return Array.isArray(replies) ? replies : []
  }

  function removePending(key: string): void {
    const left = pending.get(key)
    if (left && left.requests > 1) left.requests--
    else pending.delete(key)
  }

  /** Denies by the local window alone. Timestamps in Redis are rounded by its clock, so its log may expire that much later. */
  function deny(key: string, limit: number): WindowState {
    const seen = local.peek(key, limit, nowMs())
    const laterMs = maxResolutionMs({ limit, windowMs, maxExactRuns }) - 1
    return { ...seen, admitted: false, remaining: 0, resetAtMs: seen.resetAtMs + laterMs }
  }

  return { admit, peek }
}

const followed = new Map<RedisScript, RedisScript>()

function windowFollowedBy(script: RedisScript): RedisScript {
  const known = followed.get(script) ?? followedBy(windowScript, script)
  followed.set(script, known)
  return known
}

/**
 * Combines the states of both windows. The reset is relative to the reply, in this process's time, so
 * that its clock and the server's need not agree. Where the local window is full, its reset counts
 * too: it is later by the time that the reply took, and a caller that waits until the reset must be
 * admitted by both.
 */
function combine(
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

/** The logs of accounts in Redis: one for each account, with the resolution of the local window. */
export const accountLayout: RedisLayout = {
  keyOf: (id) => `mds:window:account:${id}`,
  maxExactRuns: exactRuns,
}

const addressBuckets = 65_536

/**
 * The logs of keys that clients choose, such as addresses, in Redis: 65,536 hash buckets of at most
 * about 100 runs each. A flood from random addresses must not fill the Redis that accounts depend on:
 * these logs take some 100 MB at most. Addresses in one bucket share its window, and a client with
 * many requests may have to wait up to a fiftieth of the window longer. That concerns only
 * unauthenticated requests, since no others are counted by address. The hash is the same in every
 * process and version of the service.
 */
export const bucketLayout = (name: string): RedisLayout => ({
  keyOf: (key) => `mds:window:${name}:${Bun.hash.xxHash32(key, 0) % addressBuckets}`,
  maxExactRuns: 50,
})

export const addressLayout = bucketLayout("address")

/** The windows of a process: of accounts, and of the addresses of unauthenticated requests. */

import type { WindowState } from "../../api/http/rate-limit-headers.ts"
import type { AccountPlan } from "../../data/db/account-tables.ts"
import type { RedisConnection } from "../../system/redis/connection.ts"
import { digest } from "../../system/text/digest.ts"
import { createSharedWindow } from "./window/shared-window.ts"
import { createWindowStore, type WindowDecision } from "./window/sliding-window.ts"

export type Windows = ReturnType<typeof createWindows>

export interface Clocks {
  now: () => Date
  /** A monotonic clock, in milliseconds. */
  steadyMs: () => number
}

export interface WindowsOptions extends Clocks {
  windowMs: number
  /** Shares the windows between processes; null for a single process. */
  redis: RedisConnection | null
  /** The same in all processes, and unknown to clients. */
  secret: string
}

/** A wall clock that never jumps: its start is the time of the process's start, and only its progress is measured. */
export const steadyNowMs = (): number => Math.floor(performance.timeOrigin + performance.now())

/** Requests per window on the standard plan. */
export const standardLimit = 1_000

/** Requests per window. @param requestLimit the account's own on the enterprise plan, null on the others */
export const limitOf = (plan: AccountPlan, requestLimit: number | null): number =>
  plan === "admin" ? Number.POSITIVE_INFINITY : (requestLimit ?? standardLimit)

const megabyte = 1024 * 1024
/** Room for 11,000 full windows of 1,000 requests (up to 24 KB each), or for 11 of a million (24 MB each). */
const accountBytes = 256 * megabyte
/** Room for some 70,000 addresses with few requests each. */
const addressBytes = 32 * megabyte
/** With 1,000 requests each, they take 80 MB. */
const addressBuckets = 8_192

export function createWindows(options: WindowsOptions) {
  return {
    /** By account id. Separate from addresses, because clients can use many addresses, but no other account ids. */
    accounts: createWindow({
      ...options,
      maxBytes: accountBytes,
      redisKeyOf: (id) => `mds:window:account:${id}`,
    }),
    addresses: createWindow({
      ...options,
      maxBytes: addressBytes,
      redisKeyOf: bucketKeys("address", addressBuckets, options.secret),
    }),
  }
}

/**
 * Keys in Redis for keys that clients choose, such as addresses. They share hash buckets with one window
 * each, so that a flood of new ones does not fill the Redis that accounts depend on. Without the secret, nobody can
 * choose a key that shares the bucket of somebody else.
 */
export const bucketKeys =
  (name: string, buckets: number, secret: string) =>
  (key: string): string =>
    `mds:window:${name}:${Bun.hash.xxHash32(digest(secret + key), 0) % buckets}`

export interface StoreOptions extends WindowsOptions {
  /** The memory for the windows of this process. */
  maxBytes: number
  redisKeyOf: (key: string) => string
}

/** One kind of window, shared through Redis where there is one. */
export function createWindow(options: StoreOptions) {
  const { windowMs, maxBytes, redis, now, steadyMs } = options
  const store = createWindowStore(windowMs, maxBytes)
  const { admit, peek } = redis
    ? createSharedWindow({ ...options, redis, local: store })
    : {
        admit: (key: string, limit: number) => store.admit(key, limit, steadyMs()),
        peek: (key: string, limit: number) => store.peek(key, limit, steadyMs()),
      }
  const unlimited: WindowDecision = { admitted: true, used: 0, waitMs: windowMs }

  const stateBy =
    (decide: typeof admit) =>
    async (key: string, limit: number): Promise<WindowState> => {
      const isUnlimited = limit === Number.POSITIVE_INFINITY
      const { admitted, used, waitMs } = isUnlimited ? unlimited : await decide(key, limit)
      const resetAtMs = now().getTime() + waitMs
      return { admitted, limit, remaining: Math.max(0, limit - used), resetAtMs }
    }

  return {
    /** Admits or denies one request. `limit` is an integer above 0, or infinite, which admits without a log. */
    admit: stateBy(admit),
    /** The state without a request; changes nothing. */
    peek: stateBy(peek),
    /** The local windows of this process. */
    store,
  }
}

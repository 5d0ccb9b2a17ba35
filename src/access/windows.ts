/** The windows of a process: of accounts, and of the addresses of unauthenticated requests. */
import type { RedisConnection } from "../redis/connection.ts"
import type { AttachedCall } from "../redis/script.ts"
import {
  accountLayout,
  addressLayout,
  createSharedWindow,
  type RedisLayout,
} from "./window/shared-window.ts"
import { createWindowStore, type WindowState, type WindowStore } from "./window/sliding-window.ts"

export interface Window {
  /**
   * Admits or denies one request. `limit` is an integer or infinite.
   * @param attach if Redis is asked: gives a call for the same round trip, which is made only if the request is admitted
   */
  admit(
    key: string,
    limit: number,
    attach?: () => AttachedCall | undefined,
  ): WindowState | Promise<WindowState>
  /** The state without a request; changes nothing. */
  peek(key: string, limit: number): WindowState | Promise<WindowState>
  /** The state in this process alone, without Redis. */
  peekLocal(key: string, limit: number): WindowState
  /** The windows that this process keeps. */
  store: Pick<WindowStore, "size" | "bytes" | "evicted">
}

export interface Windows {
  /** By account id. They are separate because clients can't choose account ids, but can use many addresses. */
  accounts: Window
  addresses: Window
  windowMs: number
}

export interface WindowsOptions {
  windowMs: number
  /** Memory for the windows of accounts; those of addresses may take an eighth of it in addition. */
  maxBytes: number
  now: () => Date
  /** Shares the windows between processes; null for a single process. */
  redis: RedisConnection | null
}

export function createWindows({ windowMs, maxBytes, now, redis }: WindowsOptions): Windows {
  const shared = { windowMs, now, redis }
  return {
    accounts: createWindow({ ...shared, maxBytes, layout: accountLayout }),
    addresses: createWindow({
      ...shared,
      maxBytes: Math.ceil(maxBytes / 8),
      layout: addressLayout,
    }),
    windowMs,
  }
}

/** One kind of window, shared through Redis where there is one. */
export function createWindow({
  windowMs,
  maxBytes,
  now,
  redis,
  layout,
}: WindowsOptions & { layout: RedisLayout }): Window {
  const store = createWindowStore({ windowMs, maxBytes })
  const nowMs = () => now().getTime()
  const peekLocal = (key: string, limit: number) => store.peek(key, limit, nowMs())
  if (redis) {
    const window = createSharedWindow({ redis, local: store, windowMs, layout, now })
    return { ...window, peekLocal, store }
  }
  return {
    admit: (key, limit) => store.admit(key, limit, nowMs()),
    peek: peekLocal,
    peekLocal,
    store,
  }
}

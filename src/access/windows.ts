/** The windows of a process: of accounts, and of the addresses of requests without a valid token. */
import type { RedisConnection } from "../redis/connection.ts"
import {
  accountLayout,
  addressLayout,
  createSharedWindow,
  type RedisLayout,
} from "./window/shared-window.ts"
import { createWindowStore, type WindowState, type WindowStore } from "./window/sliding-window.ts"

export interface Window {
  /** Asks for one request. `limit` is a whole number or infinite. */
  admit(key: string, limit: number): WindowState | Promise<WindowState>
  /** The same state without a request. */
  peek(key: string, limit: number): WindowState | Promise<WindowState>
  /** Where the key stands in this process alone, without asking any other. */
  peekLocal(key: string, limit: number): WindowState
  /** What this process holds. */
  store: Pick<WindowStore, "size" | "bytes" | "evicted">
}

export interface Windows {
  /** By account id. No stranger can choose these, so they stand apart from addresses, which anyone can. */
  accounts: Window
  addresses: Window
  windowMs: number
}

export interface WindowsOptions {
  windowMs: number
  /** What the windows of accounts may take; those of addresses may take an eighth of it beside. */
  maxBytes: number
  now: () => Date
  /** Through which several processes share them. */
  redis: RedisConnection | null
}

export function createWindows({ windowMs, maxBytes, now, redis }: WindowsOptions): Windows {
  function window(bytes: number, layout: RedisLayout): Window {
    const store = createWindowStore({ windowMs, maxBytes: bytes })
    const nowMs = () => now().getTime()
    const peekLocal = (key: string, limit: number) => store.peek(key, limit, nowMs())
    if (redis) {
      return {
        ...createSharedWindow({ redis, local: store, windowMs, layout, now }),
        peekLocal,
        store,
      }
    }
    return {
      admit: (key, limit) => store.admit(key, limit, nowMs()),
      peek: peekLocal,
      peekLocal,
      store,
    }
  }
  return {
    accounts: window(maxBytes, accountLayout),
    addresses: window(Math.ceil(maxBytes / 8), addressLayout),
    windowMs,
  }
}

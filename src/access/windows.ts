/** The windows of a process: of accounts, and of the addresses of requests without a valid token. */
import { createWindowStore, type WindowState, type WindowStore } from "./sliding-window.ts"

export interface Window {
  /** Asks for one request. `limit` is a whole number or infinite. */
  admit(key: string, limit: number): WindowState | Promise<WindowState>
  /** The same state without a request. */
  peek(key: string, limit: number): WindowState | Promise<WindowState>
  /** Where the key stands in this process alone, without asking any other. */
  own(key: string, limit: number): WindowState
  /** What this process holds. */
  store: Pick<WindowStore, "size" | "bytes" | "forgotten">
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
}

export function createWindows({ windowMs, maxBytes, now }: WindowsOptions): Windows {
  function window(bytes: number): Window {
    const store = createWindowStore({ windowMs, maxBytes: bytes })
    const nowMs = () => now().getTime()
    const own = (key: string, limit: number) => store.peek(key, limit, nowMs())
    return { admit: (key, limit) => store.admit(key, limit, nowMs()), peek: own, own, store }
  }
  return {
    accounts: window(maxBytes),
    addresses: window(Math.ceil(maxBytes / 8)),
    windowMs,
  }
}

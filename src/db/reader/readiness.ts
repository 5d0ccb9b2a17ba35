/**
 * Checks whether the database answers. The readiness endpoint is unauthenticated, so the database is
 * queried once a second at most, and requests in between share the result, failures included.
 */
import { isRecent } from "../is-recent.ts"
import type { Release } from "./releases.ts"

const checkEveryMs = 1_000

/** @param read reads the newest release, in bounded time, on a connection of its own */
export function createReadiness(
  read: () => Promise<Release>,
  now: () => Date,
): () => Promise<Release> {
  let last: { check: Promise<Release>; startedMs: number } | undefined
  let checking = false

  return () => {
    const nowMs = now().getTime()
    if (last && (checking || isRecent(last.startedMs, nowMs, checkEveryMs))) return last.check
    checking = true
    const check = read().finally(() => {
      checking = false
    })
    last = { check, startedMs: nowMs }
    return check
  }
}

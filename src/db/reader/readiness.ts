/**
 * Whether the database answers. Anyone may ask, as often as he likes, so the database is asked once a
 * second at most, and all who ask meanwhile share the outcome, a failure too.
 */
import type { Release } from "./releases.ts"

const checkEveryMs = 1_000

/** @param read reads the newest release, in bounded time, on a connection that nothing else needs */
export function createReadiness(
  read: () => Promise<Release>,
  now: () => Date,
): () => Promise<Release> {
  let last: { check: Promise<Release>; startedMs: number } | undefined
  let checking = false

  return () => {
    const nowMs = now().getTime()
    // Either way, for a clock may be set back.
    const isRecent = last && Math.abs(nowMs - last.startedMs) < checkEveryMs
    if (last && (checking || isRecent)) return last.check
    checking = true
    const check = read().finally(() => {
      checking = false
    })
    last = { check, startedMs: nowMs }
    return check
  }
}

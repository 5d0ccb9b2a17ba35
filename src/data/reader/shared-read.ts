import { isRecent } from "../db/is-recent.ts"

/**
 * Shares the result of a read, also a failure, between all calls during the read and until `everyMs` after its
 * start.
 */
export function sharedRead<T>(
  everyMs: number,
  now: () => Date,
  read: () => Promise<T>,
): () => Promise<T> {
  let last: { result: Promise<T>; startedMs: number } | undefined
  let isReading = false

  return () => {
    const nowMs = now().getTime()
    if (last && (isReading || isRecent(last.startedMs, nowMs, everyMs))) return last.result
    isReading = true
    const result = read().finally(() => {
      isReading = false
    })
    last = { result, startedMs: nowMs }
    return result
  }
}

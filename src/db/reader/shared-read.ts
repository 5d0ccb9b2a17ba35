import { isRecent } from "../is-recent.ts"

/**
 * Shares what is read, failures included, with all who ask while the read lasts and until `everyMs` after
 * its start. So the database is asked seldom, however many ask.
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

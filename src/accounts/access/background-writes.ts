/**
 * Writes data that requests leave in the memory of a process: every few seconds, before each read and when
 * the process stops. So requests neither wait for these writes nor fail with them. A killed process loses
 * some seconds.
 */
import { noResponseWithin } from "../../data/db/pool/unavailable.ts"
import { settleWithin } from "../../system/text/settle-within.ts"

/**
 * Receives the error of a failed write and the number of requests that are lost with it; none is lost if the
 * next write retries them.
 */
export type OnWriteFailure = (error: unknown, lost?: { unwritten_requests: number }) => void

export interface BackgroundWriteOptions {
  /** Writes all data. Keeps data that it cannot write. */
  write: () => Promise<void>
  /** The number of unwritten requests. */
  unwritten: () => number
  onFailure: OnWriteFailure
  everyMs?: number | undefined
}

export function writeInBackground({
  write,
  unwritten,
  onFailure,
  everyMs = 5_000,
}: BackgroundWriteOptions) {
  let running = Promise.resolve()
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    next = undefined
    running = write()
    return running
  }
  /** Writes the data in memory now. Calls during a write share the next write. */
  const flush = (): Promise<void> => {
    next ??= running.then(start, start)
    return next
  }
  const timer = setInterval(() => {
    // Without this, one failure would be reported several times.
    if (!next) flush().catch((error: unknown) => onFailure(error))
  }, everyMs)

  return {
    /**
     * Reads after the data in memory is written. If that write fails, the read shows the earlier writes, and
     * the next write in the background reports the failure.
     */
    afterWrite: async <T>(read: () => Promise<T>): Promise<T> => {
      await Promise.allSettled([flush()])
      return read()
    },

    /** Writes the last data, for at most `limitMs`, and stops. */
    stop: async (limitMs: number): Promise<void> => {
      clearInterval(timer)
      await settleWithin(limitMs, flush(), noResponseWithin).catch((error: unknown) =>
        onFailure(error, { unwritten_requests: unwritten() }),
      )
    },
  }
}

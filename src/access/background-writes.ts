/**
 * Writes what the requests of a process have left in its memory, every few seconds, before it is read and
 * when the process stops. So requests neither wait for these writes nor fail with them; a process that is
 * killed loses some seconds.
 */
import { noAnswerWithin } from "../db/pool/unavailable.ts"
import { settleWithin } from "../text/settle-within.ts"

/**
 * Receives the error of a failed write; and how many requests will not be shown because of it, unless they
 * are kept for the next one.
 */
export type OnWriteFailure = (error: unknown, lost?: { unwritten_requests: number }) => void

export interface BackgroundWriteOptions {
  /** Writes all. Keeps what it fails to write. */
  write: () => Promise<void>
  /** How many requests are not written. */
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
  /** Writes what is in memory now. Calls during a write share the one after it. */
  const flush = (): Promise<void> => {
    next ??= running.then(start, start)
    return next
  }
  const timer = setInterval(() => {
    // Else the failure of one write would be reported more than once.
    if (!next) flush().catch((error: unknown) => onFailure(error))
  }, everyMs)

  return {
    /**
     * Reads once what is in memory is written. Where that fails, the read shows what was written before,
     * and the next write in the background reports the failure.
     */
    afterWrite: async <T>(read: () => Promise<T>): Promise<T> => {
      await Promise.allSettled([flush()])
      return read()
    },

    /** Writes the last, for at most `limitMs`, and stops. */
    stop: async (limitMs: number): Promise<void> => {
      clearInterval(timer)
      await settleWithin(limitMs, flush(), noAnswerWithin).catch((error: unknown) =>
        onFailure(error, { unwritten_requests: unwritten() }),
      )
    },
  }
}

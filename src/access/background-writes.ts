/**
 * Writes what the requests of a process have left in its memory, every few seconds and when it stops. So
 * requests neither wait for these writes nor fail with them; a process that is killed loses some seconds.
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

/** @returns the function that writes the last, for at most `limitMs`, and stops */
export function writeInBackground({
  write,
  unwritten,
  onFailure,
  everyMs = 5_000,
}: BackgroundWriteOptions) {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= write()
      .catch((error: unknown) => onFailure(error))
      .finally(() => {
        running = undefined
      })
  }, everyMs)
  return async (limitMs: number): Promise<void> => {
    clearInterval(timer)
    const last = Promise.resolve(running).then(write)
    await settleWithin(limitMs, last, noAnswerWithin).catch((error: unknown) =>
      onFailure(error, { unwritten_requests: unwritten() }),
    )
  }
}

/** Waiting for the database for longer or shorter than the pool does. */
import { settleWithin } from "../../text/settle-within.ts"
import type { Pool } from "./pool.ts"
import { noAnswerWithin } from "./unavailable.ts"

/**
 * Runs a statement and waits until it ends, even past the pool's deadline: only then is it known whether
 * the write must be repeated.
 */
export async function runToCompletion(
  pool: Pick<Pool, "run">,
  statement: () => Promise<void>,
): Promise<void> {
  let running: Promise<void> | undefined
  try {
    await pool.run(() => {
      running = statement()
      return running
    })
  } catch (error) {
    if (!running) throw error
    // Its own error may hold parameters, which the pool's does not.
    await running.catch(() => Promise.reject(error))
  }
}

/** Settles as `result` does, within `limitMs`. @throws Unavailable for what takes longer */
export const within = <T>(limitMs: number, result: Promise<T>): Promise<T> =>
  settleWithin(limitMs, result, noAnswerWithin)

/**
 * Retries while the database is unavailable for a short time: it restarts, a connection was lost, or
 * the queue is full. For work that has begun and would be lost as a whole, such as an export. Requests
 * that have not begun are refused instead, and the client tries again.
 */
import { Unavailable } from "./unavailable.ts"

const retryForMs = 10_000
const pauseMs = 250

/**
 * Runs an idempotent task.
 * @throws Unavailable where it still is unavailable after ten seconds; any other error at once
 */
export async function retryWhileUnavailable<T>(
  task: () => Promise<T>,
  { nowMs = () => performance.now(), pause = () => Bun.sleep(pauseMs) } = {},
): Promise<T> {
  let giveUpAtMs: number | undefined
  for (;;) {
    try {
      return await task()
    } catch (error) {
      giveUpAtMs ??= nowMs() + retryForMs
      if (!(error instanceof Unavailable) || nowMs() >= giveUpAtMs) throw error
    }
    await pause()
  }
}

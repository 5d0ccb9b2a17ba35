/**
 * Reads on when the database was out of reach for a moment: it restarted, a connection was lost, or
 * every place was taken. For work that has begun and would be lost as a whole; what has not begun is
 * refused, and its caller tries again.
 */
import { Unavailable } from "./unavailable.ts"

const patienceMs = 10_000
const pauseMs = 250

/**
 * Runs a task that may be repeated.
 * @throws Unavailable where it fails again and again for ten seconds; any other error at once
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
      giveUpAtMs ??= nowMs() + patienceMs
      if (!(error instanceof Unavailable) || nowMs() >= giveUpAtMs) throw error
    }
    await pause()
  }
}

/**
 * Restarts the embedded server whenever it has exited, for a process that goes on serving.
 *
 * Each serving process watches for itself. Under the start lock the first of them starts the server and
 * the others adopt it, on the port that their pools use. A server that exits within a minute of its
 * start, or does not start, is restarted with exponential backoff.
 */
import type { EmbeddedServer } from "./server.ts"

export interface RestartReports {
  onEnded(): void
  onRunning(): void
  /** It did not start, or its state could not be checked; the next attempt is made after `pauseMs`. */
  onFailed(error: unknown, pauseMs: number): void
}

export interface Restarts {
  /** Ends the restarts, and stops the server as its own `stop` does. */
  stop(): Promise<void>
}

const checkEveryMs = 250
const stableMs = 60_000
const longestPauseMs = 30_000
/** A running start can't be cancelled. The server that it starts stops with this process at the latest. */
const startLimitMs = 5_000

/** The backoff before the next start after so many recent ones: 0, 1, 2, 4 … 30 seconds. */
export const pauseAfter = (starts: number): number =>
  starts === 0 ? 0 : Math.min(1000 * 2 ** (starts - 1), longestPauseMs)

/** @param start must return a server with the same URL */
export function keepRunning(
  first: EmbeddedServer,
  start: () => Promise<EmbeddedServer>,
  { onEnded, onRunning, onFailed }: RestartReports,
): Restarts {
  let server = first
  let stopping = false
  let starting = false
  let wake = (): void => {}
  const watching = watch()

  async function watch(): Promise<void> {
    let starts = 0
    while (!stopping) {
      const sinceMs = performance.now()
      await untilEnded()
      if (stopping) break
      if (performance.now() - sinceMs > stableMs) starts = 0
      onEnded()
      // It has exited: this releases its lease, without which it may start all the same.
      await server.stop().catch((error: unknown) => onFailed(error, pauseAfter(starts)))
      starts = await startAgain(starts)
    }
    await server.stop()
  }

  /** A check that fails is reported, and repeated after longer and longer pauses. */
  async function untilEnded(): Promise<void> {
    let failures = 0
    while (!stopping) {
      try {
        if (server.ended()) return
        failures = 0
      } catch (error) {
        failures++
        onFailed(error, pauseAfter(failures))
      }
      await pause(failures === 0 ? checkEveryMs : pauseAfter(failures))
    }
  }

  /** Starts the server until it runs. Returns the number of recent starts, `before` included. */
  async function startAgain(before: number): Promise<number> {
    let starts = before
    await pause(pauseAfter(starts))
    while (!stopping) {
      starts++
      starting = true
      try {
        server = await start()
        if (!stopping) onRunning()
        break
      } catch (error) {
        if (!stopping) onFailed(error, pauseAfter(starts))
      } finally {
        starting = false
      }
      await pause(pauseAfter(starts))
    }
    return starts
  }

  /** Sleeps, and returns early when stopping. */
  async function pause(ms: number): Promise<void> {
    if (stopping || ms === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  return {
    stop: async () => {
      stopping = true
      wake()
      await (starting ? Promise.race([watching, Bun.sleep(startLimitMs)]) : watching)
    },
  }
}

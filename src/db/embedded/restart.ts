/** Starts the embedded server again whenever it has ended, for a process that goes on serving. */
import { type EmbeddedServer, startEmbedded } from "./server.ts"

export interface RestartReports {
  onEnded(): void
  onRunning(): void
  /** It did not start; the next attempt is made after `pauseMs`. */
  onFailed(error: unknown, pauseMs: number): void
}

const checkEveryMs = 250
const longestPauseMs = 10_000
/** A start in progress can't be cancelled. The server that it starts stops with this process at the latest. */
const startLimitMs = 5_000

/**
 * Each serving process watches for itself: the first to take the lock starts the server, on the port that
 * the pools of all use, and the others adopt it.
 * @returns ends the restarts, and stops the server as its own `stop` does
 */
export function keepRunning(
  dataDir: string,
  first: EmbeddedServer,
  { onEnded, onRunning, onFailed }: RestartReports,
): () => Promise<void> {
  const port = Number(new URL(first.url).port)
  let server = first
  let failures = 0
  let isStopping = false
  let restart: Promise<void> | undefined
  let timer: Timer

  const checkIn = (ms: number): void => {
    timer = setTimeout(check, ms)
  }

  function check(): void {
    if (failures === 0 && !server.hasEnded()) {
      checkIn(checkEveryMs)
      return
    }
    restart = startAgain().then((pauseMs) => {
      if (!isStopping) checkIn(pauseMs)
    })
  }

  /** @returns the time to the next check */
  async function startAgain(): Promise<number> {
    if (failures === 0) onEnded()
    try {
      await server.stop() // This releases the lock.
      server = await startEmbedded(dataDir, { port })
      failures = 0
      if (!isStopping) onRunning()
      return checkEveryMs
    } catch (error) {
      failures++
      const pauseMs = Math.min(failures * 1_000, longestPauseMs)
      if (!isStopping) onFailed(error, pauseMs)
      return pauseMs
    }
  }

  checkIn(checkEveryMs)
  return async () => {
    isStopping = true
    clearTimeout(timer)
    await Promise.race([restart, Bun.sleep(startLimitMs)])
    await server.stop()
  }
}

import { type EmbeddedServer, startEmbedded } from "./server.ts"

export interface RestartReports {
  onEnded(): void
  onRunning(): void
  /** The server did not start; the next attempt is made after `pauseMs`. */
  onFailed(error: unknown, pauseMs: number): void
}

const checkEveryMs = 250
const pauseAfter = (failures: number): number => Math.min(failures, 10) * 1_000
/** A start in progress cannot be cancelled. The server that it starts stops with this process at the latest. */
const startLimitMs = 5_000

/**
 * Starts the embedded server again whenever it has ended, on the port that the clients of this process
 * use. Of several processes that do so, the first to take the lock starts it, and the others adopt it.
 * @returns ends the restarts, and stops the server as its own `stop` does
 */
export function keepRunning(
  dataDir: string,
  first: EmbeddedServer,
  { onEnded, onRunning, onFailed }: RestartReports,
): () => Promise<void> {
  const port = Number(new URL(first.url).port)
  let server = first
  let starting: Promise<EmbeddedServer> | undefined
  let isStopping = false

  async function watch(): Promise<void> {
    let failures = 0
    for (;;) {
      await Bun.sleep(failures === 0 ? checkEveryMs : pauseAfter(failures))
      if (isStopping) return
      if (failures === 0) {
        if (!server.hasEnded()) continue
        onEnded()
      }
      try {
        // To stop what has ended releases its lock.
        starting = server.stop().then(() => startEmbedded(dataDir, { port }))
        server = await starting
        failures = 0
        onRunning()
      } catch (error) {
        failures++
        onFailed(error, pauseAfter(failures))
      }
    }
  }

  watch()
  return async () => {
    isStopping = true
    await Promise.race([Promise.allSettled([starting]), Bun.sleep(startLimitMs)])
    await server.stop()
  }
}

import { type EmbeddedServer, startEmbedded } from "./server.ts"

export interface RestartReports {
  onEnded(): void
  onRunning(): void
  /** The server did not start; the next attempt is made after `pauseMs`. */
  onFailed(error: unknown, pauseMs: number): void
}

const checkEveryMs = 250
const pauseAfter = (failures: number): number => Math.min(failures, 10) * 1_000
/** The time limit for a start in progress, which cannot be canceled. Its server stops with this process. */
const startLimitMs = 5_000

/**
 * Restarts the embedded server whenever it has ended, on the port of this process's clients. Of several
 * processes, the one that gets the lock starts it, and the others adopt it.
 * @returns ends the restarts and stops the server
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
        // `stop` releases the lock.
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

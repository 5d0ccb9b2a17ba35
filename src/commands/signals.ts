/** How a load handles Ctrl-C (SIGINT) and SIGTERM. */
import { logToStderr } from "./terminal.ts"

/** Of a process that a signal has ended: 128 and the number of the signal, as shells have it. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof exitCodes

/**
 * Until the commit a signal ends the process at once, and the server rolls the transaction back. A
 * commit is waited for, as its outcome would be unknown otherwise; a second signal does not wait.
 * Once the outcome is reported, a signal only ends what would follow.
 * @param restoreTerminal is called before the process ends
 * @param interrupted the message until the commit
 */
export function handleSignals(
  restoreTerminal: () => void,
  interrupted = "Interrupted: nothing was published",
) {
  let reached: "loading" | "committing" | "published" | "reported" = "loading"
  let isWaiting = false

  function end(signal: Signal): void {
    restoreTerminal()
    if (reached === "reported") process.exit(0)
    if (reached === "loading") exit(signal, interrupted)
    if (reached === "published") {
      logToStderr("Interrupted: the release was published")
      process.exit(0)
    }
    if (isWaiting) exit(signal, "Interrupted: it is not known whether the release was published")
    isWaiting = true
    logToStderr("Committing the release; waiting for the outcome")
  }

  function exit(signal: Signal, message: string): never {
    logToStderr(message)
    process.exit(exitCodes[signal])
  }

  for (const signal of Object.keys(exitCodes) as Signal[]) process.on(signal, () => end(signal))
  return {
    /** Another load begins. */
    loading: () => {
      reached = "loading"
    },
    committing: () => {
      reached = "committing"
    },
    published: () => {
      reached = "published"
    },
    /** @returns whether a signal arrived during the commit */
    reported: () => {
      reached = "reported"
      return isWaiting
    },
  }
}

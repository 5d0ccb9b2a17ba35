/** Shared by the commands that publish: progress, Ctrl-C (SIGINT), SIGTERM and the summary. */
import type { Config } from "../config.ts"
import { type Progress, progressOn } from "../ingest/loading/progress.ts"
import type { PublishedChange, publishChange } from "../ingest/loading/publishing.ts"
import type { LoadSummary } from "../ingest/loading/summary.ts"
import { vacuumChanged } from "../ingest/loading/vacuum.ts"
import { logToStderr, printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

/** 128 and the number of the signal, as shells report it. */
const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const

/**
 * Before the commit, a signal ends the process at once, and the server rolls the transaction back. During the
 * commit, the first signal waits for the outcome, which would otherwise be unknown.
 * @param interrupted the message before the commit
 */
export function startLoads(config: Config, interrupted = "Interrupted: nothing was published") {
  const progress = progressOn(process.stderr)
  let stage: "loading" | "committing" | "published" | "reported" = "loading"
  let isWaiting = false

  onSignals((exitCode) => {
    progress.stop()
    if (stage === "loading") exit(exitCode, interrupted)
    if (stage === "published") exit(0, "Interrupted: the release was published")
    if (stage === "reported") process.exit(0)
    if (isWaiting) exit(exitCode, "Interrupted: it is not known whether the release was published")
    isWaiting = true
    logToStderr("Committing the release; waiting for the outcome")
  })
  return {
    options: {
      absentAfterHours: config.ABSENT_AFTER_HOURS,
      holderNames: config.HOLDER_NAMES,
      progress,
      onCommit: () => {
        stage = "committing"
      },
      onPublished: () => {
        stage = "published"
      },
    },
    /** Another load begins. */
    next: () => {
      stage = "loading"
    },
    /** Prints the outcome of a load and cleans up. @returns false if a signal arrived during the commit */
    finish: async (url: string, summary: LoadSummary | null, text: string): Promise<boolean> => {
      // A failure to print does not undo a release.
      await (summary?.release === null ? printResult : printCompleted)(text)
      stage = "reported"
      if (summary) warnIfUnconfirmed(summary.unconfirmed)
      if (summary && !isWaiting) await vacuumChanged(url, summary, progress)
      return !isWaiting
    },
  }
}

/** Publishes a change that an operator makes without files, and reports it. */
export async function reportChange(
  publish: (progress: Progress) => ReturnType<typeof publishChange>,
  text: { published: (change: PublishedChange) => string; unchanged: string },
  print: (text: string) => void | Promise<void> = printCompleted,
): Promise<void> {
  const progress = progressOn(process.stderr)
  const { value, unconfirmed } = await publish(progress)
  progress.stop()
  await print(
    value === null
      ? text.unchanged
      : `Published as release ${value.release}: ${text.published(value)}`,
  )
  warnIfUnconfirmed(unconfirmed)
}

/** Ctrl-C (SIGINT) or SIGTERM ends the process with this message. */
export const exitOnSignals = (message: string): void =>
  onSignals((exitCode) => exit(exitCode, message))

function onSignals(handle: (exitCode: number) => void): void {
  for (const [signal, exitCode] of Object.entries(exitCodes)) {
    process.on(signal, () => handle(exitCode))
  }
}

function exit(exitCode: number, message: string): never {
  logToStderr(message)
  process.exit(exitCode)
}

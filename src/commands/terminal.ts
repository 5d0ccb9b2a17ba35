/**
 * Output of commands: results on standard output, everything else on standard error. What is for
 * people may have text from files and servers in it, and is made printable here, once for all.
 */

import { withoutParameters } from "../db/database-errors.ts"
import { maxStalenessMs } from "../db/notifications.ts"
import { reasonOf } from "../loading/load-error.ts"
import { codeOf } from "../text/error-code.ts"
import { printableLine, printableText } from "../text/printable-text.ts"

/** The result of a command cannot be printed. */
export class OutputError extends Error {
  override readonly name = "OutputError"
}

/** Writes a message for the operator. */
export const logToStderr = (message: string): void => {
  process.stderr.write(`${printableText(message)}\n`)
}

/**
 * Prints a result for a person, or as JSON for the next program. A reader that has exited, such as
 * `head`, is not an error.
 * @throws OutputError where it cannot be written
 */
export const printResult = (line: string): Promise<void> => printData(printableText(line))

/** The same for data that has to be exact, such as CSV. */
export async function printData(line: string): Promise<void> {
  await write(line).catch((error: unknown) => {
    if (codeOf(error) !== "EPIPE") throw outputError(error)
  })
}

/**
 * An unexpected error: its message or, with `debug`, its stack trace. Never the parameters of a
 * query.
 */
export function describeUnexpected(error: unknown, debug: boolean): string {
  const shown = withoutParameters(error)
  if (!(shown instanceof Error)) return `Failed: ${String(shown)}`
  const { name, message, stack, cause } = shown
  if (!debug) return `Failed: ${message || name} (add --debug for the stack trace)`
  const from = cause === undefined ? "" : `\nCaused by: ${describeUnexpected(cause, true)}`
  return (stack ?? `${name}: ${message}`) + from
}

/**
 * Prints a result that is never shown again: a reader that has exited is an error.
 * @throws OutputError where it cannot be written
 */
export async function printSecret(line: string): Promise<void> {
  await write(line).catch((error: unknown) => {
    throw outputError(error)
  })
}

/** Prints the result of what is already done: a failure to print is only reported. */
export const printCompleted = (line: string): Promise<void> =>
  printResult(line).catch((error: Error) => logToStderr(error.message))

/** Unlike a write to `process.stdout`, it rejects when it fails. */
const write = (line: string) => Bun.write(Bun.stdout, `${line}\n`)

const outputError = (error: unknown) =>
  new OutputError(`Cannot write to standard output: ${reasonOf(error)}`, { cause: error })

/**
 * Reports serving processes that did not confirm a change; undefined where their number is unknown.
 */
export function warnIfUnconfirmed(processes: number | undefined): void {
  if (processes === 0) return
  const failure =
    processes === undefined
      ? "Cannot ask the serving processes to confirm the change"
      : `${processes === 1 ? "1 serving process has" : `${processes} serving processes have`} not confirmed the change`
  logToStderr(`${failure}; it takes effect there within ${maxStalenessMs / 1000} seconds`)
}

/** Rows under a header, in columns as wide as their widest cell. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [header, ...rows].map((line) => line.map(printableLine))
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => (line[column] ?? "").length)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

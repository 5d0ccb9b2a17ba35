/** What commands print: results on standard output, everything else on standard error. */
import { maxStalenessMs } from "../access/credentials.ts"
import { withoutParameters } from "../db/query-failure.ts"
import { codeOf, reasonOf } from "../loading/file-error.ts"

/** What a command found, or made, can't be printed. */
export class OutputError extends Error {
  override readonly name = "OutputError"
}

/** A message for the person at the terminal. */
export const logToStderr = (message: string): void => {
  process.stderr.write(`${message}\n`)
}

/**
 * A result, alone on its line, for a person or the next program. A reader that has gone, such as
 * `head`, wants no more of it.
 * @throws OutputError where it can't be written
 */
export async function printResult(line: string): Promise<void> {
  await write(line).catch((error: unknown) => {
    if (codeOf(error) !== "EPIPE") throw outputError(error)
  })
}

/** An error that was not foreseen: its message, or where it came from as well. Never what a query held. */
export function describeUnexpected(error: unknown, debug: boolean): string {
  const shown = withoutParameters(error)
  if (!(shown instanceof Error)) return `Failed: ${String(shown)}`
  const { name, message, stack, cause } = shown
  if (!debug) return `Failed: ${message || name} (add --debug for the stack trace)`
  const from = cause === undefined ? "" : `\nCaused by: ${describeUnexpected(cause, true)}`
  return (stack ?? `${name}: ${message}`) + from
}

/** A result that is never shown again: a reader that has gone is a failure too. @throws OutputError */
export async function printSecret(line: string): Promise<void> {
  await write(line).catch((error: unknown) => {
    throw outputError(error)
  })
}

/** What has been done, and stays done where this can't be printed. */
export const printCompleted = (line: string): Promise<void> =>
  printResult(line).catch((error: Error) => logToStderr(error.message))

/** Unlike a write to `process.stdout`, it tells here when it fails. */
const write = (line: string) => Bun.write(Bun.stdout, `${line}\n`)

const outputError = (error: unknown) =>
  new OutputError(`Cannot write to standard output: ${reasonOf(error)}`, { cause: error })

/** Told where a change was not confirmed by all processes that serve; undefined: that is not known. */
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
  const lines = [header, ...rows]
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

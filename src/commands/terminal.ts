/** What commands print: results on standard output, everything else on standard error. */
import { believedMs } from "../access/credentials.ts"
import { withoutParameters } from "../db/query-failure.ts"

/** A message for the person at the terminal. */
export const say = (message: string): void => {
  process.stderr.write(`${message}\n`)
}

/** A result, alone on its line, for a person or the next program. */
export const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

/** An error that was not foreseen: its message, or where it came from as well. Never what a query held. */
export function describeUnexpected(error: unknown, debug: boolean): string {
  const shown = withoutParameters(error)
  if (!(shown instanceof Error)) return `Failed: ${String(shown)}`
  const { name, message, stack, cause } = shown
  if (!debug) return `Failed: ${message || name} (add --debug for the stack)`
  const from = cause === undefined ? "" : `\nCaused by: ${describeUnexpected(cause, true)}`
  return (stack ?? `${name}: ${message}`) + from
}

/** Told where a change was not confirmed by all processes that serve; undefined: that is not known. */
export function warnOfUnconfirmed(processes: number | undefined): void {
  if (processes === 0) return
  const who =
    processes === undefined
      ? "Serving processes could not be asked whether it holds"
      : `${processes === 1 ? "One serving process has" : `${processes} serving processes have`} not confirmed it yet`
  say(`${who}; it does after ${believedMs / 1000} seconds at the latest.`)
}

/** Rows under a header, in columns as wide as their widest cell. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
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

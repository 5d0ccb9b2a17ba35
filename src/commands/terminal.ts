/**
 * Output of commands: results on standard output, messages on standard error. Text for people may come from
 * files and servers, so these functions escape its control characters.
 */

import { createInterface } from "node:readline"
import { withoutParameters } from "../data/db/database-errors.ts"
import { maxStalenessMs } from "../data/db/notifications.ts"
import { reasonOf } from "../ingest/loading/load-error.ts"
import { countOf, formatCount } from "../system/text/display.ts"
import { codeOf } from "../system/text/error-code.ts"
import { printableLine, printableText } from "../system/text/printable-text.ts"

/** The result of a command cannot be printed. */
export class OutputError extends Error {
  override readonly name = "OutputError"
}

/** Writes a message for the operator. */
export const logToStderr = (message: string): void => {
  process.stderr.write(`${printableText(message)}\n`)
}

/**
 * Prints a result for a person, or as JSON for a program. A closed pipe, as after `head`, is not an error.
 * @throws OutputError
 */
export const printResult = (text: string): Promise<void> => printData(printableText(text))

/** Prints data without escapes, such as CSV. A closed pipe is not an error. @throws OutputError */
export const printData = (text: string): Promise<void> =>
  write(text).catch((error: OutputError) => {
    if (codeOf(error.cause) !== "EPIPE") throw error
  })

/** Prints the result of a change that is committed: only reports a failure to print. */
export const printCompleted = (text: string): Promise<void> =>
  printResult(text).catch((error: Error) => logToStderr(error.message))

/**
 * Prints a result that cannot be shown again, so that a closed pipe is an error.
 * @param ifLost what to do after a failure
 * @throws OutputError
 */
export const printSecret = (text: string, ifLost: string): Promise<void> =>
  write(text, `. ${ifLost}`)

const write = (text: string, ifLost = ""): Promise<void> =>
  new Promise((resolve, reject) => {
    // `Bun.write` repeats parts of a long text in a pipe that standard error shares.
    process.stdout.write(`${text}\n`, (error) => {
      if (!error) return resolve()
      const message = `Cannot write to standard output: ${reasonOf(error)}${ifLost}`
      reject(new OutputError(message, { cause: error }))
    })
  })

/** The message of an unexpected error or, with `debug`, its stack trace; never the parameters of a query. */
export function describeUnexpected(error: unknown, debug: boolean): string {
  const shown = withoutParameters(error)
  if (!(shown instanceof Error)) return `Failed: ${String(shown)}`
  const { name, message, stack, cause } = shown
  if (!debug) return `Failed: ${message || name} (add --debug for the stack trace)`
  const causeText = cause === undefined ? "" : `\nCaused by: ${describeUnexpected(cause, true)}`
  return (stack ?? `${name}: ${message}`) + causeText
}

/** @param processes the number of serving processes that did not confirm a change; undefined if unknown */
export function warnIfUnconfirmed(processes: number | undefined): void {
  if (processes === 0) return
  const failure =
    processes === undefined
      ? "Cannot ask the serving processes to confirm the change"
      : `${countOf(processes, "serving process has", "serving processes have")} not confirmed the change`
  logToStderr(`${failure}; it takes effect there within ${maxStalenessMs / 1000} seconds`)
}

export type TerminalRow = Readonly<Record<string, string | number | boolean | null>>

/** One line for each question or, on a terminal, one key without Enter. */
export async function* readAnswers(): AsyncGenerator<string, void> {
  const { stdin } = process
  if (!stdin.isTTY) return yield* createInterface({ input: stdin })
  stdin.setRawMode(true)
  try {
    for await (const keys of stdin) {
      for (const key of String(keys)) {
        // A terminal in raw mode sends no signal, and no end of input.
        if (key === "\u0003") process.kill(process.pid, "SIGINT")
        if (key === "\u0004") return
        // Enter is a line feed if it was pressed before raw mode began.
        if (!/[ynq\r\n]/i.test(key)) continue
        await printResult(key.trim())
        yield key
      }
    }
  } finally {
    stdin.setRawMode(false)
  }
}

/** The answer to the only question of a command, in lower case, `y` for yes; empty at the end of the input. */
export async function readAnswer(): Promise<string> {
  const answers = readAnswers()
  const { value } = await answers.next()
  await answers.return()
  return value?.trim().toLowerCase().replace(/^yes$/, "y") ?? ""
}

/** Rows as a table, whose header has the names of the first row's values. Numbers in `release` are names. */
export function formatTable(rows: readonly TerminalRow[]): string {
  const [first] = rows
  if (!first) return "none"
  const header = Object.keys(first).map((name) => name.replaceAll("_", " "))
  const lines = [header, ...rows.map((row) => Object.entries(row).map(cellText))]
  const shown = lines.map((line) => line.map(printableLine))
  const widths = header.map((_, column) =>
    Math.max(...shown.map((line) => line[column]?.length ?? 0)),
  )
  return shown
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n")
}

const cellText = ([name, value]: [string, TerminalRow[string]]): string =>
  typeof value === "number" && name !== "release" ? formatCount(value) : `${value ?? "-"}`

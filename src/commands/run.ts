import type { Command, OutputConfiguration } from "commander"
import { AccountError } from "../access/change.ts"
import { ConfigError } from "../config.ts"
import { OutcomeUnknown } from "../db/commit.ts"
import { failureReason } from "../db/database-errors.ts"
import { EmbeddedError } from "../db/embedded/server.ts"
import { DatabaseError } from "../db/first-connection.ts"
import { shownAddress } from "../fetching/fetch-error.ts"
import { ListenError } from "../listen-error.ts"
import { LoadError } from "../loading/load-error.ts"
import { printableText } from "../text/printable-text.ts"
import { describeUnexpected, logToStderr, OutputError } from "./terminal.ts"

/** Errors that are reported by their message alone. */
const reportedErrors = [
  AccountError,
  ConfigError,
  DatabaseError,
  EmbeddedError,
  ListenError,
  LoadError,
  OutcomeUnknown,
  OutputError,
]

/** The errors of commander, which repeat arguments. */
export const printableErrors: OutputConfiguration = {
  outputError: (message, write) => write(printableText(message)),
}

/**
 * Runs the command that the process was started with. If it fails, reports why and exits with 1.
 */
export async function run(program: Command): Promise<void> {
  // The reader of the messages may have exited (`2>&1 | head`); that ends no command.
  process.stderr.on("error", () => {})
  program.option("--debug", "show the stack trace of an unexpected error")
  let task = "run the command"
  program.hook("preAction", (_, command) => {
    task = taskOf(command)
  })
  try {
    await program.parseAsync()
  } catch (error) {
    const { debug = false } = program.opts<{ debug?: boolean }>()
    const reason = failureReason(error)
    if (reason === undefined || debug) logToStderr(errorText(error, debug))
    if (reason !== undefined) logToStderr(`Cannot ${task}: ${reason}`)
    process.exit(1)
  }
}

/** What the command does. Never its options: they may hold what must not be shown. */
function taskOf(command: Command): string {
  const { args, parent } = command
  const name = command.name()
  if (name === "load") return `load ${args.slice(1).map(shownFile).join(", ")}`
  if (name === "migrate") return "migrate the database"
  return `run \`mds ${parent?.parent ? `${parent.name()} ` : ""}${name}\``
}

function shownFile(file: string): string {
  if (file === "-") return "standard input"
  return /^https?:/i.test(file) && URL.canParse(file) ? shownAddress(new URL(file)) : file
}

/** What is reported of an error. */
export function errorText(error: unknown, debug: boolean): string {
  const isReported = reportedErrors.some((kind) => error instanceof kind)
  if (isReported && error instanceof Error) return error.message
  return (debug ? undefined : failureReason(error)) ?? describeUnexpected(error, debug)
}

import { Command, InvalidArgumentError } from "commander"
import { AccountError } from "../accounts/access/change.ts"
import { ConfigError } from "../config.ts"
import { OutcomeUnknown } from "../data/db/commit.ts"
import { failureReason } from "../data/db/database-errors.ts"
import { DatabaseError } from "../data/db/first-connection.ts"
import { LoadError } from "../ingest/loading/load-error.ts"
import { version } from "../program.ts"
import { EmbeddedError } from "../system/embedded/server.ts"
import { ListenError } from "../system/listen-error.ts"
import { printableText } from "../system/text/printable-text.ts"
import { describeUnexpected, logToStderr, OutputError } from "./terminal.ts"

/** Errors whose message is complete. */
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

/** Commands inherit these settings if they are added afterwards. Usage errors exit with 2. */
export const newProgram = (name: string, help: string): Command =>
  new Command(name)
    .description(help)
    .version(version)
    .option("--debug", "show the stack trace of an unexpected error")
    .showHelpAfterError("(add --help for usage)")
    // Usage errors repeat arguments.
    .configureOutput({ outputError: (message, write) => write(printableText(message)) })
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))

/** Runs the command of the arguments. If it fails, reports why and exits with 1. */
export async function run(program: Command, args = process.argv): Promise<void> {
  // A closed pipe, as after `2>&1 | head`, or a full disk ends no command. `printSecret` gets its own failures.
  // Using the two streams also makes Bun switch pipes to non-blocking: otherwise the log of `serve` would block
  // one of the few threads that also compress and resolve names.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
  let name = ""
  program.hook("preAction", (_, command) => {
    name = command.parent?.parent ? `${command.parent.name()} ${command.name()}` : command.name()
  })
  try {
    await program.parseAsync(args)
  } catch (error) {
    // Arguments that contradict one another.
    if (error instanceof InvalidArgumentError) program.error(`error: ${error.message}`)
    const { debug = false } = program.opts<{ debug?: boolean }>()
    const reason = failureReason(error)
    if (reason === undefined || debug) logToStderr(errorText(error, debug))
    if (reason !== undefined) logToStderr(`Cannot run \`mds ${name}\`: ${reason}`)
    process.exit(1)
  }
}

export function errorText(error: unknown, debug: boolean): string {
  const isReported = reportedErrors.some((kind) => error instanceof kind)
  if (isReported && error instanceof Error) return error.message
  return (debug ? undefined : failureReason(error)) ?? describeUnexpected(error, debug)
}

/** The command line. */
import { Command } from "commander"
import { AccountError } from "./access/change.ts"
import { addAccountCommands } from "./commands/accounts.ts"
import { addHolderCommands } from "./commands/holders.ts"
import { addLoadCommand } from "./commands/load.ts"
import { addMigrateCommand } from "./commands/migrate.ts"
import { addQuickstartCommand } from "./commands/quickstart.ts"
import { addReleaseCommands } from "./commands/releases.ts"
import { addServeCommand } from "./commands/serve.ts"
import { describeUnexpected, PrintError, say } from "./commands/terminal.ts"
import { addTokenCommands } from "./commands/tokens.ts"
import { ConfigError, readConfig } from "./config.ts"
import { OutcomeUnknown } from "./db/commit.ts"
import { EmbeddedError } from "./db/embedded/server.ts"
import { DatabaseError } from "./db/first-connection.ts"
import { LoadRefused } from "./releases/load-refused.ts"

// Whoever reads the messages may be gone (`2>&1 | head`); that ends no command.
process.stderr.on("error", () => {})

const program = new Command("mds")
  .description("The Mining and Geological Data Service. Settings are read from the environment.")
  .option("--debug", "show the stack of an unexpected error")
  .showHelpAfterError("(add --help for what it takes)")

const config = () => readConfig(process.env)

addServeCommand(program, config)
addQuickstartCommand(program, config)
addMigrateCommand(program, config)
addLoadCommand(program, config)
addHolderCommands(program, config)
addReleaseCommands(program, config)
addAccountCommands(program, config)
addTokenCommands(program, config)

/** Errors whose message is all that a person needs. */
const expected = [
  AccountError,
  ConfigError,
  DatabaseError,
  EmbeddedError,
  LoadRefused,
  OutcomeUnknown,
  PrintError,
]

try {
  await program.parseAsync()
} catch (error) {
  const known = expected.some((kind) => error instanceof kind)
  const { debug = false } = program.opts<{ debug?: boolean }>()
  say(known && error instanceof Error ? error.message : describeUnexpected(error, debug))
  process.exit(1)
}

/** The command line. */
import { Command } from "commander"
import { addAccountCommands } from "./commands/accounts.ts"
import { addHolderCommands } from "./commands/holders.ts"
import { addLoadCommand } from "./commands/load.ts"
import { addMigrateCommand } from "./commands/migrate.ts"
import { addReleaseCommands } from "./commands/releases.ts"
import { run } from "./commands/run.ts"
import { addServeCommand } from "./commands/serve.ts"
import { addTokenCommands } from "./commands/tokens.ts"
import { readConfig } from "./config.ts"

// Before the commands are added, which inherit it.
const program = new Command("mds")
  .description(
    "run and administer the Mining and Geological Data Service; settings are environment variables",
  )
  .showHelpAfterError("(add --help for usage)")
const config = () => readConfig(process.env)

addServeCommand(program, config)
addMigrateCommand(program, config)
addLoadCommand(program, config)
addHolderCommands(program, config)
addReleaseCommands(program, config)
addAccountCommands(program, config)
addTokenCommands(program, config)

await run(program)

import type { Command } from "commander"
import type { Config } from "../config.ts"
import { openMigrated } from "./database.ts"
import { logToStderr } from "./terminal.ts"

export function addMigrateCommand(program: Command, config: () => Config): void {
  program
    .command("migrate")
    .description(
      "migrate the database to the current schema version, as serve and quickstart also do",
    )
    .action(async () => {
      const database = await openMigrated(config())
      await database.close()
      logToStderr("The database schema is up to date")
    })
}

import type { Command } from "commander"
import type { Config } from "../config.ts"
import { openMigrated } from "./database.ts"
import { logToStderr } from "./terminal.ts"

export function addMigrateCommand(program: Command, config: () => Config): void {
  program
    .command("migrate")
    .description("bring the database to the newest migration; serve and quickstart do so too")
    .action(async () => {
      const database = await openMigrated(config())
      await database.close()
      logToStderr("The database is at the newest migration")
    })
}

import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withDatabase } from "./database.ts"
import { say } from "./terminal.ts"

export function addMigrateCommand(program: Command, config: () => Config): void {
  program
    .command("migrate")
    .description("bring the database to the newest migration; every other command does so too")
    .action(async () => {
      await withDatabase(config(), async () => {})
      say("The database is at the newest migration")
    })
}

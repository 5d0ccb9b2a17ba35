import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { prune } from "../loading/prune.ts"
import { withDatabase } from "./database.ts"
import { printCompleted } from "./terminal.ts"

export function addReleaseCommands(program: Command, config: () => Config): void {
  const releases = program.command("releases").description("manage releases")

  releases
    .command("prune")
    .description(
      "delete the history of old releases, except those that a page sequence or an export still reads",
    )
    .requiredOption(
      "--keep-days <days>",
      "keep the releases that were current within this many days",
      parseDays,
    )
    .action(async ({ keepDays }: { keepDays: number }) => {
      const { oldest, releases, records } = await withDatabase(config(), ({ url }) =>
        prune(url, keepDays),
      )
      await printCompleted(
        oldest === null
          ? "There are no releases to prune"
          : `Pruned ${releases} releases and deleted ${records} superseded records; the oldest release kept is ${oldest}`,
      )
    })
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new InvalidArgumentError("Must be a number of days from 1 to 99999.")
  }
  return Number(text)
}

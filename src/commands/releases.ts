import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { prune } from "../loading/prune.ts"
import { withDatabase } from "./database.ts"
import { printCompleted } from "./terminal.ts"

export function addReleaseCommands(program: Command, config: () => Config): void {
  const releases = program.command("releases").description("the releases that are kept")

  releases
    .command("prune")
    .description("drop old releases, but none that a crawl or an export still reads")
    .requiredOption("--keep-days <days>", "keep what stood within so many days", parseDays)
    .action(async ({ keepDays }: { keepDays: number }) => {
      const { oldest, releases, records } = await withDatabase(config(), ({ url }) =>
        prune(url, keepDays),
      )
      await printCompleted(
        oldest === null
          ? "There is no release yet"
          : `Dropped ${releases} releases and ${records} superseded records; release ${oldest} is the oldest kept`,
      )
    })
}

function parseDays(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new InvalidArgumentError("It must be a whole number of days, at least 1.")
  }
  return Number(text)
}

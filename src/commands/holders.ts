import type { Command } from "commander"
import type { Config } from "../config.ts"
import { formatCount } from "../loading/progress.ts"
import {
  checkUnlinkedPath,
  readUnlinked,
  type UnlinkedHolder,
  unlinkedCsv,
  writeUnlinked,
} from "../loading/unlinked.ts"
import { withDatabase } from "./database.ts"
import { formatTable, logToStderr, printResult } from "./terminal.ts"

export function addHolderCommands(program: Command, config: () => Config): void {
  const holders = program.command("holders").description("list holders of tenements")

  holders
    .command("unlinked")
    .description("list the holders that are not linked to a company, most tenements first")
    .option("--csv <file>", "write them to a CSV file, to complete and load as subsidiaries")
    .addHelpText("after", "\nPrints the same CSV if standard output is not a terminal.")
    .action(async ({ csv }: { csv?: string }) => {
      if (csv === undefined) {
        const found = await withDatabase(config(), ({ url }) => readUnlinked(url))
        // The CSV already ends with a line break.
        return printResult(process.stdout.isTTY ? holderTable(found) : unlinkedCsv(found).trimEnd())
      }
      checkUnlinkedPath(csv)
      const written = await withDatabase(config(), ({ url }) => writeUnlinked(url, csv))
      logToStderr(`Wrote ${formatCount(written.holders)} holders to ${written.path}`)
    })
}

const holderTable = (holders: readonly UnlinkedHolder[]): string =>
  formatTable(
    ["tenements", "holder"],
    holders.map(({ name, tenements }) => [formatCount(tenements), name]),
  )

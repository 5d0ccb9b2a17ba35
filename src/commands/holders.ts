import type { Command } from "commander"
import type { Config } from "../config.ts"
import { formatCount } from "../loading/progress.ts"
import {
  readSuggestions,
  suggestionsCsv,
  writeSuggestions,
} from "../loading/suggested-companies.ts"
import type { Suggestion } from "../loading/suggestions.ts"
import {
  checkUnlinkedPath,
  readUnlinked,
  type UnlinkedHolder,
  unlinkedCsv,
  writeUnlinked,
} from "../loading/unlinked.ts"
import { withDatabase } from "./database.ts"
import { formatTable, logToStderr, printData, printResult } from "./terminal.ts"

export function addHolderCommands(program: Command, config: () => Config): void {
  const holders = program
    .command("holders")
    .description("list holders of tenements, and the companies that they may belong to")

  holders
    .command("unlinked")
    .description("list the holders that are not linked to a company, most tenements first")
    .option("--csv <file>", "write them to a CSV file, to complete and load as subsidiaries")
    .addHelpText("after", "\nPrints the same CSV if standard output is not a terminal.")
    .action(async ({ csv }: { csv?: string }) => {
      if (csv === undefined) {
        const found = await withDatabase(config(), ({ url }) => readUnlinked(url))
        // The CSV already ends with a line break.
        return process.stdout.isTTY
          ? printResult(holderTable(found))
          : printData(unlinkedCsv(found).trimEnd())
      }
      checkUnlinkedPath(csv)
      const written = await withDatabase(config(), ({ url }) => writeUnlinked(url, csv))
      logToStderr(`Wrote ${formatCount(written.holders)} holders to ${written.path}`)
    })

  holders
    .command("suggest")
    .description("list the companies that unlinked holders may belong to, most tenements first")
    .option("--csv <file>", "write them to a CSV file, to complete and load as subsidiaries")
    .addHelpText(
      "after",
      "\nLinks nothing. Prints the same CSV if standard output is not a terminal.",
    )
    .action(async ({ csv }: { csv?: string }) => {
      if (csv === undefined) {
        const found = await withDatabase(config(), ({ url }) => readSuggestions(url))
        return process.stdout.isTTY
          ? printResult(suggestionTable(found))
          : printData(suggestionsCsv(found).trimEnd())
      }
      checkUnlinkedPath(csv)
      const written = await withDatabase(config(), ({ url }) => writeSuggestions(url, csv))
      logToStderr(
        `Wrote ${formatCount(written.suggestions)} suggestions for ${formatCount(written.holders)} holders to ${written.path}; ` +
          `fill in parent_asx_code where one is right, then run \`mds load subsidiaries ${written.path} --partial\``,
      )
    })
}

const holderTable = (holders: readonly UnlinkedHolder[]): string =>
  formatTable(
    ["tenements", "holder"],
    holders.map(({ name, tenements }) => [formatCount(tenements), name]),
  )

const suggestionTable = (suggestions: readonly Suggestion[]): string =>
  formatTable(
    ["tenements", "holder", "code", "company", "reason"],
    suggestions.map(({ holder, company, reason, similarName }) => [
      formatCount(holder.tenements),
      shortened(holder.name),
      company.asx_code,
      shortened(company.company_name + (company.is_active ? "" : " (inactive)")),
      similarName === company.company_name ? reason : `${reason}: ${shortened(similarName)}`,
    ]),
  )

const maxCell = 48

/** Two long names would break every line of the table. */
const shortened = (text: string): string =>
  text.length <= maxCell ? text : `${text.slice(0, maxCell - 1)}…`

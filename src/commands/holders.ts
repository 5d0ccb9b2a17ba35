import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { formatCount } from "../loading/progress.ts"
import { readSuggestions, suggestionsCsv } from "../loading/suggested-companies.ts"
import { judgedFiles, judgement, reasons, type Suggestion } from "../loading/suggestions.ts"
import { readUnlinked, type UnlinkedHolder, unlinkedCsv } from "../loading/unlinked.ts"
import { codeOf } from "../text/error-code.ts"
import { withDatabase } from "./database.ts"
import { addLinkCommands } from "./links.ts"
import { formatTable, logToStderr, printData, printResult } from "./terminal.ts"

interface List<Row> {
  /** Of the newest release. */
  read: (url: string) => Promise<Row[]>
  table: (rows: readonly Row[]) => string
  /** The whole file. */
  csv: (rows: readonly Row[]) => string
  /** What has been written. */
  written: (rows: readonly Row[], path: string) => string
}

export function addHolderCommands(program: Command, config: () => Config): void {
  const holders = program
    .command("holders")
    .description("list holders of tenements, and link them to the companies that they belong to")

  const add = <Row>(name: string, description: string, help: string, list: List<Row>) =>
    holders
      .command(name)
      .description(description)
      .option("--csv <file>", "write them to a CSV file, to complete and load as subsidiaries")
      .addHelpText("after", `\n${help}Prints the same CSV if standard output is not a terminal.`)
      .action(async ({ csv }: { csv?: string }) => {
        const rows = await withDatabase(config(), ({ url }) => list.read(url))
        if (csv !== undefined) {
          writeNewFile(csv, list.csv(rows))
          logToStderr(list.written(rows, csv))
        } else if (process.stdout.isTTY) {
          await printResult(list.table(rows))
        } else {
          // The CSV already ends with a line break.
          await printData(list.csv(rows).trimEnd())
        }
      })

  add("unlinked", "list the holders that are not linked to a company, most tenements first", "", {
    read: readUnlinked,
    table: holderTable,
    csv: unlinkedCsv,
    written: (rows, path) => `Wrote ${formatCount(rows.length)} holders to ${path}`,
  })
  add(
    "suggest",
    "list the companies that unlinked holders may belong to, most tenements first",
    `Links nothing: \`mds holders link\`, \`decline\` and \`review\` decide.\n\n${reasonTable}\n\n`,
    {
      read: readSuggestions,
      table: suggestionTable,
      csv: suggestionsCsv,
      written: (rows, path) =>
        `Wrote ${formatCount(rows.length)} suggestions for ${formatCount(new Set(rows.map(({ holder }) => holder.key)).size)} holders to ${path}; ` +
        `fill in parent_asx_code where one is right, then run \`mds load subsidiaries ${path} --partial\``,
    },
  )
  addLinkCommands(holders, config)
}

/** Writes all of the file or nothing. Never overwrites one: a person may have half completed it. */
function writeNewFile(path: string, text: string): void {
  let file: number | undefined
  try {
    file = openSync(path, "wx")
    writeFileSync(file, text)
  } catch (error) {
    if (file !== undefined) rmSync(path, { force: true })
    const reason = codeOf(error) === "ENOENT" ? "no such directory" : reasonOf(error)
    throw new LoadError(`Cannot write ${path}: ${reason}`, { cause: error })
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

const holderTable = (holders: readonly UnlinkedHolder[]): string =>
  formatTable(
    ["tenements", "holder"],
    holders.map(({ name, tenements }) => [formatCount(tenements), name]),
  )

const suggestionTable = (suggestions: readonly Suggestion[]): string =>
  `${formatTable(
    ["tenements", "holder", "code", "company", "reason"],
    suggestions.map(({ holder, company, reason, similarName }) => [
      formatCount(holder.tenements),
      shortened(holder.name),
      company.asx_code,
      shortened(company.company_name + (company.is_active ? "" : " (inactive)")),
      similarName === company.company_name ? reason : `${reason}: ${shortened(similarName)}`,
    ]),
  )}\n\n${reasonTable}`

const reasonTable = `${formatTable(
  ["reason", "how often"],
  reasons.map((reason) => [reason, judgement(reason)]),
)}\n(${judgedFiles})`

const maxCell = 48

/** Two long names would break every line of the table. */
const shortened = (text: string): string =>
  text.length <= maxCell ? text : `${text.slice(0, maxCell - 1)}…`

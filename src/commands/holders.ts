import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { readSuggestions, suggestionsCsv } from "../loading/suggested-companies.ts"
import { judgedFiles, judgement, reasons } from "../loading/suggestions.ts"
import { readUnlinked, unlinkedCsv } from "../loading/unlinked.ts"
import { countOf } from "../text/display.ts"
import { codeOf } from "../text/error-code.ts"
import { command, group, option } from "./command.ts"
import { withDatabase } from "./database.ts"
import { decisionCommands } from "./holder-decisions.ts"
import { formatTable, logToStderr, printData, printResult, type TerminalRow } from "./terminal.ts"

interface List<Item> {
  help: string
  further?: string
  /** Of the newest release. */
  read: (url: string) => Promise<Item[]>
  row: (item: Item) => TerminalRow
  csv: (items: readonly Item[]) => string
}

const list = <Item>({ help, further, read, row, csv }: List<Item>) =>
  command({
    help,
    parameters: {
      csv: option("<file>", "write a CSV file to complete and load as subsidiaries", String),
    },
    hasJson: true,
    further: `${further === undefined ? "" : `${further}\n\n`}Prints the same CSV if standard output is not a terminal.`,
    run: async ({ csv: path }, { config, json }) => {
      const items = await withDatabase(config, ({ url }) => read(url))
      if (path !== undefined) {
        writeNewFile(path, csv(items))
        logToStderr(
          `Wrote ${countOf(items.length, "row")} to ${path}; fill in parent_asx_code where you know it, ` +
            `then run \`mds load subsidiaries ${path} --partial\``,
        )
      } else if (json) {
        await printResult(JSON.stringify(items.map(row)))
      } else if (process.stdout.isTTY) {
        await printResult(formatTable(items.map(row)))
      } else {
        // The CSV already ends with a line break.
        await printData(csv(items).trimEnd())
      }
    },
  })

const unlinked = list({
  help: "list the holders without a company, most tenements first",
  read: readUnlinked,
  row: ({ name, tenements }) => ({ tenements, holder: name }),
  csv: unlinkedCsv,
})

const reasonTable = `${formatTable(
  reasons.map((reason) => ({ reason, how_often: judgement(reason) })),
)}\n(${judgedFiles})`

const suggest = list({
  help: "list possible companies of unlinked holders, most tenements first",
  further: `Links nothing: \`mds holders link\`, \`decline\`, \`review\` and \`confirm\` decide.\n\n${reasonTable}`,
  read: readSuggestions,
  row: ({ holder, company, reason, similarName }) => ({
    tenements: holder.tenements,
    holder: holder.name,
    code: company.asx_code,
    company: company.company_name,
    is_active: company.is_active,
    reason,
    how_often: judgement(reason),
    similar_name: similarName,
  }),
  csv: suggestionsCsv,
})

export const holdersCommand = group("list holders of tenements, and link them to their companies", {
  unlinked,
  suggest,
  ...decisionCommands,
})

/** Writes all of the file or nothing, and overwrites none: a person may have half completed it. */
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

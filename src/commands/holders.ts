import { closeSync, openSync, rmSync, writeFileSync } from "node:fs"
import { LoadError, reasonOf } from "../ingest/loading/load-error.ts"
import { readSuggestions } from "../ingest/loading/suggested-companies.ts"
import { judgedFiles, judgement, reasons } from "../ingest/loading/suggestions.ts"
import { readUnlinked, subsidiariesCsv } from "../ingest/loading/unlinked.ts"
import { suggestedColumns } from "../ingest/sources/own-columns.ts"
import { countOf } from "../system/text/display.ts"
import { codeOf } from "../system/text/error-code.ts"
import { command, group, option } from "./command.ts"
import { withDatabase } from "./database.ts"
import { decisionCommands } from "./holder-decisions.ts"
import { formatTable, logToStderr, printData, printResult, type TerminalRow } from "./terminal.ts"

interface HolderList {
  help: string
  details?: string
  /** Holders of the newest release: `name`, and the columns. No name begins a line of a table. */
  read: (url: string) => Promise<TerminalRow[]>
  columns: readonly string[]
}

const list = ({ help, details, read, columns }: HolderList) =>
  command({
    help,
    parameters: {
      csv: option("<file>", "write a CSV file to complete and load as subsidiaries", String),
    },
    hasJson: true,
    details: `${details === undefined ? "" : `${details}\n\n`}Prints the same CSV if standard output is not a terminal.`,
    run: async ({ csv: path }, { config, json }) => {
      const rows = await withDatabase(config, ({ url }) => read(url))
      const csv = subsidiariesCsv(rows, columns)
      if (path !== undefined) {
        writeNewFile(path, csv)
        logToStderr(
          `Wrote ${countOf(rows.length, "row")} to ${path}; fill in parent_asx_code where you know it, ` +
            `then run \`mds load subsidiaries ${path} --partial\``,
        )
      } else if (json) {
        await printResult(JSON.stringify(rows))
      } else if (process.stdout.isTTY) {
        await printResult(formatTable(rows))
      } else {
        // The CSV already ends with a line break.
        await printData(csv.trimEnd())
      }
    },
  })

const unlinked = list({
  help: "list the holders without a company, most tenements first",
  read: async (url) =>
    (await readUnlinked(url)).map(({ name, tenements }) => ({ tenements, name })),
  columns: ["tenements"],
})

const reasonTable = `${formatTable(
  reasons.map((reason) => ({ reason, how_often: judgement(reason) })),
)}\n(${judgedFiles})`

const suggest = list({
  help: "list possible companies of unlinked holders, most tenements first",
  details: `Links nothing: \`mds holders link\`, \`decline\`, \`review\` and \`confirm\` decide.\n\n${reasonTable}`,
  read: readSuggestions,
  columns: suggestedColumns,
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

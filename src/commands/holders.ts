import { readSuggestions } from "../ingest/loading/suggested-companies.ts"
import { judgedFiles, judgement, reasons } from "../ingest/loading/suggestions.ts"
import { readUnlinked, subsidiariesCsv } from "../ingest/loading/unlinked.ts"
import { suggestedColumns } from "../ingest/sources/own-columns.ts"
import { command, group } from "./command.ts"
import { withDatabase } from "./database.ts"
import { decisionCommands } from "./holder-decisions.ts"
import { formatTable, printData, printResult, type TerminalRow } from "./terminal.ts"

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
    hasJson: true,
    details: `${details === undefined ? "" : `${details}\n\n`}Prints CSV to complete and load as subsidiaries if standard output is not a terminal.`,
    run: async (_, { config, json }) => {
      const rows = await withDatabase(config, ({ url }) => read(url))
      if (json) {
        await printResult(JSON.stringify(rows))
      } else if (process.stdout.isTTY) {
        await printResult(formatTable(rows))
      } else {
        // The CSV already ends with a line break.
        await printData(subsidiariesCsv(rows, columns).trimEnd())
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

import { join } from "node:path"
import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { load } from "../loading/load.ts"
import { progressOn } from "../loading/progress.ts"
import { formatSummary } from "../loading/summary.ts"
import { vacuumChanged } from "../loading/vacuum.ts"
import { sourceNamed, sources } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { withDatabase } from "./database.ts"
import { handleSignals } from "./signals.ts"
import { formatTable, printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

interface LoadFlags {
  dryRun?: boolean
  acceptShrink?: boolean
  partial?: boolean
  allSectors?: boolean
  maxRejects?: number
  rejectsDir?: string
  unlinked?: string
  json?: boolean
}

const descriptions = sources.map(({ name, description }) => [`  ${name}`, description])

export function addLoadCommand(program: Command, config: () => Config): void {
  program
    .command("load")
    .description("load files of one source as one release")
    .argument("<source>", "one of the sources below", parseSource)
    .argument(
      "<files...>",
      "CSV, TSV, NDJSON, JSON, GeoJSON or dBase, also in gzip or zip, or - for standard input",
    )
    .option("--dry-run", "do everything except publish")
    .option("--accept-shrink", "publish even if more than 5% of the source's records are missing")
    .option("--partial", "add and change records, but remove none")
    .option("--all-sectors", "load companies of every sector (asx-directory, asx-sectors)")
    .option(
      "--max-rejects <n>",
      "accept up to n rejected rows (default: 1,000 or 5% of the rows)",
      nonNegativeInteger,
    )
    .option(
      "--rejects-dir <dir>",
      "write rejected rows to a file in this directory (default: DATA_DIR/rejects)",
    )
    .option(
      "--unlinked <file>",
      "write the unlinked holders to a CSV file, to complete and load as subsidiaries",
    )
    .option("--json", "print the summary as one JSON object")
    .addHelpText("after", `\n${formatTable(["Sources:", ""], descriptions)}`)
    .action(async (source: Source, files: string[], flags: LoadFlags) => {
      const { json, ...flagged } = flags
      const progress = progressOn(process.stderr)
      const signals = handleSignals(progress.stop)
      const options = {
        rejectsDir: join(config().DATA_DIR, "rejects"),
        ...flagged,
      }
      await withDatabase(config(), async ({ url }) => {
        const { committing: onCommit, published: onPublished } = signals
        const summary = await load({
          url,
          source,
          files,
          progress,
          onCommit,
          onPublished,
          ...options,
        })
        const text = json ? JSON.stringify(summary) : formatSummary(summary)
        await (summary.release === null ? printResult : printCompleted)(text)
        warnIfUnconfirmed(summary.unconfirmed)
        if (signals.reported()) return
        await vacuumChanged(url, summary, progress)
      })
    })
}

function parseSource(name: string): Source {
  const source = sourceNamed(name)
  if (typeof source === "string") throw new InvalidArgumentError(source)
  return source
}

function nonNegativeInteger(written: string): number {
  if (!/^\d{1,9}$/.test(written)) throw new InvalidArgumentError("Must be a non-negative integer.")
  return Number(written)
}

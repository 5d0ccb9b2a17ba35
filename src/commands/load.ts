import { join } from "node:path"
import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { fileTime } from "../releases/file-time.ts"
import { load } from "../releases/load.ts"
import { progressOn } from "../releases/progress.ts"
import { formatSummary } from "../releases/summary.ts"
import { writeUnlinked } from "../releases/unlinked.ts"
import { sourceNamed, sources } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { withDatabase } from "./database.ts"
import { print, table } from "./terminal.ts"

interface LoadFlags {
  dryRun?: boolean
  acceptShrink?: boolean
  partial?: boolean
  allSectors?: boolean
  maxRejects?: number
  rejectsDir?: string
  /** A file, or false for none; where neither is said, a file named by the time. */
  unlinked?: string | false
  json?: boolean
}

const descriptions = sources.map(({ name, description }) => [`  ${name}`, description])

export function addLoadCommand(program: Command, config: () => Config): void {
  program
    .command("load")
    .description("load files of one source as one release")
    .argument("<source>", "one of those below", knownSource)
    .argument(
      "<files...>",
      "CSV, TSV, NDJSON, JSON, GeoJSON or dBase, gzip or zip of these, or - for standard input",
    )
    .option("--dry-run", "do all but publish")
    .option("--accept-shrink", "publish even if more than 5% of the source's records go")
    .option("--partial", "add and change only, whatever the files lack")
    .option("--all-sectors", "asx-directory, asx-sectors: keep companies of every sector")
    .option("--max-rejects <n>", "let up to n rows be rejected (1,000 or 5%)", wholeNumber)
    .option("--rejects-dir <dir>", "where a file of rejected rows goes (the working directory)")
    .option("--unlinked <file>", "where the holders of no company go, to complete as subsidiaries")
    .option("--no-unlinked", "write no such file")
    .option("--json", "print the summary as one JSON object")
    .addHelpText("after", `\n${table(["Sources:", ""], descriptions)}`)
    .action(async (source: Source, files: string[], flags: LoadFlags) => {
      const { json, unlinked, ...flagged } = flags
      const options = { ...flagged, ...(typeof unlinked === "string" && { unlinked }) }
      await withDatabase(config(), async ({ url }) => {
        const progress = progressOn(process.stderr)
        const summary = await load({ url, source, files, progress, ...options })
        if (unlinked === undefined && summary.release !== null && summary.links?.unlinked) {
          summary.unlinked = await writeUnlinked(url, unlinkedPath(flags.rejectsDir))
        }
        print(json ? JSON.stringify(summary) : formatSummary(summary))
      })
    })
}

/** Named by the time, as a person may have half completed the one before. */
const unlinkedPath = (directory = ".") =>
  join(directory, `unlinked-holders-${fileTime(new Date())}.csv`)

function knownSource(name: string): Source {
  const source = sourceNamed(name)
  if (typeof source === "string") throw new InvalidArgumentError(source)
  return source
}

function wholeNumber(written: string): number {
  if (!/^\d{1,9}$/.test(written)) throw new InvalidArgumentError("It is not a whole number.")
  return Number(written)
}

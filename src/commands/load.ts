import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { load } from "../releases/load.ts"
import { progressOn } from "../releases/progress.ts"
import { formatSummary } from "../releases/summary.ts"
import { sourceNamed, sources } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { openDatabase } from "./database.ts"
import { print } from "./terminal.ts"

interface LoadFlags {
  dryRun?: boolean
  acceptShrink?: boolean
  partial?: boolean
  allSectors?: boolean
}

export function addLoadCommand(program: Command, config: () => Config): void {
  program
    .command("load")
    .description("load files of one source as one release")
    .argument("<source>", `one of ${sources.map(({ name }) => name).join(", ")}`, knownSource)
    .argument("<files...>", "CSV, TSV or NDJSON, gzip of these, or - for standard input")
    .option("--dry-run", "do all but publish")
    .option("--accept-shrink", "publish even if more than 5% of the source's records go")
    .option("--partial", "add and change only, whatever the files lack")
    .option("--all-sectors", "asx-directory: keep companies of every sector")
    .action(async (source: Source, files: string[], flags: LoadFlags) => {
      const database = await openDatabase(config())
      try {
        const progress = progressOn(process.stderr)
        const summary = await load({ url: database.url, source, files, progress, ...flags })
        print(formatSummary(summary))
      } finally {
        await database.close()
      }
    })
}

function knownSource(name: string): Source {
  const source = sourceNamed(name)
  if (typeof source === "string") throw new InvalidArgumentError(source)
  return source
}

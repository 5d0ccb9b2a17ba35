import { join } from "node:path"
import { type Command, InvalidArgumentError } from "commander"
import type { Config } from "../config.ts"
import { databaseClock } from "../db/connection.ts"
import { withAddresses } from "../fetching/fetch-address.ts"
import { defaultLimits } from "../fetching/limits.ts"
import { load } from "../loading/load.ts"
import { observedOf } from "../loading/observation.ts"
import { progressOn } from "../loading/progress.ts"
import { keepsFiles } from "../loading/stored-holders.ts"
import { formatSummary } from "../loading/summary.ts"
import { vacuumChanged } from "../loading/vacuum.ts"
import { sourceNamed, sources } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { integer } from "./arguments.ts"
import { withDatabase } from "./database.ts"
import { userAgent } from "./fetch.ts"
import { handleSignals } from "./signals.ts"
import { formatTable, printCompleted, printResult, warnIfUnconfirmed } from "./terminal.ts"

interface LoadFlags {
  dryRun?: boolean
  acceptShrink?: boolean
  acceptEmpty?: string[]
  removeMissingNow?: boolean
  observed?: string
  partial?: boolean
  allSectors?: boolean
  maxRejects?: number
  rejectsDir?: string
  allowPrivate?: boolean
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
      "CSV, TSV, NDJSON, JSON, GeoJSON, ArcGIS JSON or dBase, also in gzip or zip, - for standard input, or https:// addresses",
    )
    .option("--dry-run", "do everything except publish")
    .option(
      "--accept-shrink",
      "publish even if more than 5% of the source's records are newly missing",
    )
    .option(
      "--accept-empty <column>",
      "publish even if this column goes mostly empty; may be repeated",
      (column: string, others: readonly string[] = []) => [...others, column],
    )
    .option(
      "--remove-missing-now",
      "remove or deactivate what is missing at once, without waiting for further loads to confirm it",
    )
    .option(
      "--observed <time>",
      "when the files were true: a date (its beginning in UTC) or a date-time with its zone (default: now)",
      observedOf,
    )
    .option("--partial", "add and change records, but remove none")
    .option("--all-sectors", "load companies of every sector (asx-directory, asx-sectors)")
    .option(
      "--max-rejects <n>",
      "accept up to n rejected rows (default: 1,000 or 5% of the rows)",
      integer(0, 999_999_999),
    )
    .option(
      "--rejects-dir <dir>",
      "write rejected rows to a file in this directory (default: DATA_DIR/rejects)",
    )
    .option("--allow-private", "fetch from private networks and this machine too")
    .option("--json", "print the summary as one JSON object")
    .addHelpText("after", `\n${formatTable(["Sources:", ""], descriptions)}`)
    .action(async (source: Source, files: string[], flags: LoadFlags) => {
      const { json, allowPrivate = false, ...flagged } = flags
      const progress = progressOn(process.stderr)
      const signals = handleSignals(progress.stop)
      const { ABSENT_AFTER_HOURS, DATA_DIR, HOLDER_NAMES } = config()
      const keeps = keepsFiles(HOLDER_NAMES, source.resource)
      const options = {
        ...(keeps && { rejectsDir: join(DATA_DIR, "rejects") }),
        absentAfterHours: ABSENT_AFTER_HOURS,
        holderNames: HOLDER_NAMES,
        ...flagged,
      }
      await withDatabase(config(), async ({ url }) => {
        const { committing: onCommit, published: onPublished } = signals
        const addresses = {
          databaseUrl: url,
          dataDir: DATA_DIR,
          keeps,
          source: source.name,
          userAgent: () => userAgent(config()),
          allowPrivate,
          limits: defaultLimits,
          progress,
          clock: () => databaseClock(url),
        }
        const summary = await withAddresses(files, addresses, (given) =>
          load({ url, source, progress, onCommit, onPublished, ...given, ...options }),
        )
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

import { join } from "node:path"
import type { Command } from "commander"
import type { Config } from "../config.ts"
import { databaseClock } from "../db/connection.ts"
import { type FetchOutcome, fetchSource } from "../fetching/fetch-source.ts"
import { defaultLimits } from "../fetching/limits.ts"
import { type Fetchable, readSourcesFile } from "../fetching/sources-file.ts"
import { LoadError } from "../loading/load-error.ts"
import { progressOn } from "../loading/progress.ts"
import { formatSummary } from "../loading/summary.ts"
import { vacuumChanged } from "../loading/vacuum.ts"
import { programRoot } from "../program.ts"
import { withDatabase } from "./database.ts"
import { errorText } from "./run.ts"
import { handleSignals } from "./signals.ts"
import { logToStderr, printCompleted, warnIfUnconfirmed } from "./terminal.ts"

type Environment = Readonly<Record<string, string | undefined>>

interface FetchFlags {
  force?: boolean
  json?: boolean
  debug?: boolean
}

export function addFetchCommand(
  program: Command,
  config: () => Config,
  environment: Environment,
): void {
  program
    .command("fetch")
    .description("download what changed of the sources in SOURCES_FILE, and load it")
    .argument("[sources...]", "their names (default: all in the file)")
    .option("--force", "fetch sources that are not due too, and load unchanged files again")
    .option("--json", "print the outcome of each source as a JSON object on a line")
    .addHelpText(
      "after",
      "\nExits with 1 if a source could not be fetched, or its load was refused; the others are loaded.",
    )
    .action(async (names: string[], flags: FetchFlags) => {
      const fetchables = await chosen(config(), names)
      const { debug = false } = program.opts<{ debug?: boolean }>()
      const outcomes = await fetchAll(config(), environment, fetchables, { ...flags, debug })
      if (outcomes.some(({ outcome }) => outcome === "failed" || outcome === "refused")) {
        process.exitCode = 1
      }
    })
}

/** @throws LoadError where a name is not in the file */
async function chosen(config: Config, names: readonly string[]): Promise<Fetchable[]> {
  const path = config.SOURCES_FILE ?? join(config.DATA_DIR, "sources.json")
  const all = await readSourcesFile(path)
  const unknown = names.find((name) => !all.some(({ source }) => source.name === name))
  if (unknown !== undefined) {
    const known = all.map(({ source }) => source.name).join(", ") || "none"
    throw new LoadError(`Cannot fetch ${unknown}: ${path} has no such source (it has: ${known})`)
  }
  return names.length === 0 ? all : all.filter(({ source }) => names.includes(source.name))
}

/** One after the other: they wait for the same lock when they are loaded. */
async function fetchAll(
  config: Config,
  environment: Environment,
  fetchables: readonly Fetchable[],
  { force = false, json = false, debug = false }: FetchFlags,
): Promise<FetchOutcome[]> {
  const progress = progressOn(process.stderr)
  const signals = handleSignals(progress.stop)
  const agent = await userAgent(config)
  return withDatabase(config, async ({ url }) => {
    const now = await databaseClock(url)
    const outcomes: FetchOutcome[] = []
    for (const fetchable of fetchables) {
      signals.loading()
      const outcome = await fetchSource(fetchable, {
        databaseUrl: url,
        dataDir: config.DATA_DIR,
        userAgent: agent,
        environment,
        limits: defaultLimits,
        force,
        absentAfterHours: config.ABSENT_AFTER_HOURS,
        holderNames: config.HOLDER_NAMES,
        progress,
        now,
        describe: (error) => described(error, debug),
        onCommit: signals.committing,
        onPublished: signals.published,
      })
      outcomes.push(outcome)
      const { summary } = outcome
      await printCompleted(json ? JSON.stringify(outcome) : outcomeText(outcome))
      if (summary) warnIfUnconfirmed(summary.unconfirmed)
      // A signal that came during the commit ends what would follow.
      if (signals.reported()) break
      if (summary) await vacuumChanged(url, summary, progress)
    }
    return outcomes
  })
}

/** What requests to public servers say of who makes them. */
export async function userAgent({ BASE_URL }: Pick<Config, "BASE_URL">): Promise<string> {
  const { version } = await Bun.file(new URL("package.json", programRoot)).json()
  return `mds/${version}${BASE_URL === "" ? "" : ` (+${BASE_URL})`}`
}

/** An error that nobody expected ends the fetch of its source, and not those of the others. */
function described(error: unknown, debug: boolean): string {
  if (debug) logToStderr(errorText(error, debug))
  return errorText(error, false)
}

function outcomeText({ source, outcome, reason, files, summary }: FetchOutcome): string {
  return [
    `${source}: ${outcome}${reason === null ? "" : `: ${reason}`}`,
    ...(summary ? [formatSummary(summary)] : []),
    ...(files.length > 0 ? [`Fetched as ${files.join(", ")}`] : []),
  ].join("\n")
}

import { join } from "node:path"
import type { Config } from "../config.ts"
import { databaseClock } from "../data/db/connection.ts"
import {
  type FetchOptions,
  type FetchOutcome,
  fetchSource,
} from "../ingest/fetching/fetch-source.ts"
import { defaultLimits } from "../ingest/fetching/limits.ts"
import { type Fetchable, readSourcesFile } from "../ingest/fetching/sources-file.ts"
import { LoadError } from "../ingest/loading/load-error.ts"
import { formatSummary } from "../ingest/loading/summary.ts"
import { version } from "../program.ts"
import { append, argument, command, flag, type Invocation } from "./command.ts"
import { withDatabase } from "./database.ts"
import { startLoads } from "./loads.ts"
import { errorText } from "./run.ts"
import { logToStderr } from "./terminal.ts"

export const fetchCommand = command({
  help: "download changed files of the sources in SOURCES_FILE, and load them",
  parameters: {
    sources: argument<readonly string[] | undefined>(
      append,
      "their names (default: all)",
      "[*...]",
    ),
    force: flag("also fetch sources before they are due"),
  },
  hasJson: true,
  details:
    "With --json, prints the outcome of each source as a JSON object on a line.\n" +
    "Exits with 1 if a fetch failed or a load was refused; the command loads the other sources.",
  run: async ({ sources = [], force = false }, invocation) => {
    const { SOURCES_FILE, DATA_DIR } = invocation.config
    const path = SOURCES_FILE ?? join(DATA_DIR, "sources.json")
    const fetchables = await chosen(path, sources)
    const editedMs = Bun.file(path).lastModified
    const outcomes = await fetchAll(fetchables, { force, editedMs }, invocation)
    if (outcomes.some(({ outcome }) => outcome === "failed" || outcome === "refused")) {
      process.exitCode = 1
    }
  },
})

/** @throws LoadError where a name is not in the file */
async function chosen(path: string, names: readonly string[]): Promise<Fetchable[]> {
  const all = await readSourcesFile(path)
  if (all.length === 0) logToStderr(`${path} lists no sources`)
  const unknown = names.find((name) => !all.some(({ source }) => source.name === name))
  if (unknown !== undefined) {
    const known = all.map(({ source }) => source.name).join(", ") || "none"
    throw new LoadError(`Cannot fetch ${unknown}: ${path} has no such source (it has: ${known})`)
  }
  return names.length === 0 ? all : all.filter(({ source }) => names.includes(source.name))
}

/** One after another: their loads need the same lock. */
async function fetchAll(
  fetchables: readonly Fetchable[],
  due: Pick<FetchOptions, "force" | "editedMs">,
  { config, environment, json, debug }: Invocation,
): Promise<FetchOutcome[]> {
  const loads = startLoads(config)
  return withDatabase(config, async ({ url }) => {
    const options = {
      ...loads.options,
      databaseUrl: url,
      dataDir: config.DATA_DIR,
      userAgent: userAgent(config),
      environment,
      limits: defaultLimits,
      ...due,
      now: await databaseClock(url),
      describe: (error: unknown) => {
        if (debug) logToStderr(errorText(error, debug))
        return errorText(error, false)
      },
    }
    const outcomes: FetchOutcome[] = []
    for (const fetchable of fetchables) {
      loads.next()
      const outcome = await fetchSource(fetchable, options)
      outcomes.push(outcome)
      const text = json ? JSON.stringify(outcome) : outcomeText(outcome)
      if (!(await loads.finish(url, outcome.summary, text))) break
    }
    return outcomes
  })
}

/** Identifies this program and its operator to public servers. */
export const userAgent = ({ BASE_URL }: Pick<Config, "BASE_URL">): string =>
  `mds/${version}${BASE_URL === "" ? "" : ` (+${BASE_URL})`}`

function outcomeText({ source, outcome, reason, files, summary }: FetchOutcome): string {
  return [
    `${source}: ${outcome}${reason === null ? "" : `: ${reason}`}`,
    ...(summary ? [formatSummary(summary)] : []),
    ...(files.length > 0 ? [`Fetched as ${files.join(", ")}`] : []),
  ].join("\n")
}

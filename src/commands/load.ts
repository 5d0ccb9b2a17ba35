import { join } from "node:path"
import { databaseClock } from "../data/db/connection.ts"
import { withAddresses } from "../ingest/fetching/fetch-address.ts"
import { defaultLimits } from "../ingest/fetching/limits.ts"
import { load as loadFiles } from "../ingest/loading/load.ts"
import { LoadError } from "../ingest/loading/load-error.ts"
import { crsOf } from "../ingest/loading/load-options.ts"
import { observedOf } from "../ingest/loading/observation.ts"
import { keepsFiles } from "../ingest/loading/stored-holders.ts"
import { formatSummary } from "../ingest/loading/summary.ts"
import { statesIn } from "../ingest/loading/view-states.ts"
import { loadableSources, sourceNamed, sourcesOfStates } from "../ingest/sources/catalogue.ts"
import { national } from "../ingest/sources/national.ts"
import type { Source } from "../ingest/sources/source.ts"
import { append, argument, command, flag, integerParameter, option } from "./command.ts"
import { withDatabase } from "./database.ts"
import { userAgent } from "./fetch.ts"
import { startLoads } from "./loads.ts"
import { formatTable, logToStderr } from "./terminal.ts"

const formats =
  "CSV, TSV, NDJSON, JSON, GeoJSON, ArcGIS JSON or dBase, also in gzip or zip, - for standard input, or https:// URLs"

export const loadCommand = command({
  help: "load files of one source as one release",
  parameters: {
    source: argument(knownSource, "one of the sources below"),
    files: argument(append, formats, "<*...>"),
    dryRun: flag("do everything except publish"),
    acceptShrink: flag("publish even if more than five, and 5%, of the records are newly missing"),
    acceptEmpty: option("<column>", "publish even if it goes mostly empty; repeatable", append),
    acceptMoved: flag("publish even if more than a fifth of the shapes move by over 1 km"),
    crs: option("<EPSG:n>", "reference system of the shapes (default: as the file states)", crsOf),
    withoutShapes: flag("read no shapes; stored ones stay"),
    removeMissingNow: flag("remove or deactivate missing records without waiting for more loads"),
    observed: option("<time>", "date of the data, in UTC, or date-time (default: now)", observedOf),
    partial: flag("add and change records, but remove none"),
    allSectors: flag("load companies of every sector (asx-directory)"),
    maxRejects: option(
      "<n>",
      "limit of rejected rows (default: 1,000 or 5%)",
      integerParameter(0, 1e9),
    ),
    rejectsDir: option("<dir>", "directory of rejected rows (default: DATA_DIR/rejects)", String),
  },
  hasJson: true,
  details: `Sources:\n${formatTable([...loadableSources, national].map(({ name, description }) => ({ name, description })))}`,
  run: async ({ source, files, ...flags }, { config, json }) => {
    const interrupted = "map" in source ? undefined : "Interrupted: no further state was published"
    const loads = startLoads(config, interrupted)
    const keeps = keepsFiles(config.HOLDER_NAMES, source.resource)
    await withDatabase(config, async ({ url }) => {
      const addresses = {
        databaseUrl: url,
        dataDir: config.DATA_DIR,
        keeps,
        source: source.name,
        userAgent: userAgent(config),
        limits: defaultLimits,
        progress: loads.options.progress,
        clock: () => databaseClock(url),
      }
      const rejects = keeps && { rejectsDir: join(config.DATA_DIR, "rejects") }
      await withAddresses(files, addresses, async (given) => {
        const one = async (each: Source) => {
          const options = { ...loads.options, ...rejects, ...given, ...flags }
          const summary = await loadFiles({ url, source: each, ...options })
          const text = json ? JSON.stringify(summary) : formatSummary(summary)
          return loads.finish(url, summary, text)
        }
        if ("map" in source) await one(source)
        else await oneByOne(sourcesOfStates(await statesIn(given)), one, loads.next)
      })
    })
  },
})

/** Goes on after a refused load, and ends where a signal has asked for it. */
async function oneByOne(
  sources: readonly Source[],
  load: (source: Source) => Promise<boolean>,
  next: () => void,
): Promise<void> {
  const refused: string[] = []
  for (const source of sources) {
    next()
    try {
      if (!(await load(source))) return
    } catch (error) {
      if (!(error instanceof LoadError)) throw error
      logToStderr(`${source.name}: ${error.message}`)
      refused.push(source.name)
    }
  }
  if (refused.length > 0) throw new LoadError(`Loads were refused: ${refused.join(", ")}`)
}

function knownSource(name: string): Source | typeof national {
  if (name === national.name) return national
  const source = sourceNamed(name)
  if (typeof source === "string") throw new Error(source)
  return source
}

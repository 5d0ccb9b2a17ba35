import type { Command } from "commander"
import type { Config } from "../config.ts"
import { withSnapshot } from "../db/connection.ts"
import type { MissingRecord } from "../db/missing-records.ts"
import { type SourceStatus, sourceDetails, sourceStatuses } from "../db/source-status.ts"
import { goesFrom } from "../loading/absence.ts"
import { LoadError } from "../loading/load-error.ts"
import { formatCount } from "../loading/progress.ts"
import { sourceNamed } from "../sources/catalogue.ts"
import { excerpt } from "../text/printable-text.ts"
import { withDatabase } from "./database.ts"
import { formatTable, printResult } from "./terminal.ts"

interface ShownSource extends SourceStatus {
  missing_records: (MissingRecord & { goes_from: string })[]
}

export function addSourceCommands(program: Command, config: () => Config): void {
  const sources = program.command("sources").description("show what has been loaded of each source")

  sources
    .command("list")
    .description(
      "list the sources: how many records, how many of them missing, when loaded, why refused or failed",
    )
    .option("--json", "print them as one JSON array")
    .action(async ({ json }: { json?: boolean }) => {
      const statuses = await withDatabase(config(), ({ url }) => withSnapshot(url, sourceStatuses))
      await printResult(json ? JSON.stringify(statuses) : statusTable(statuses))
    })

  sources
    .command("show")
    .description("show one source, and its records that are missing and have not gone yet")
    .argument("<source>", "its name")
    .option("--json", "print it as a JSON array, with an element for each resource")
    .action(async (name: string, { json }: { json?: boolean }) => {
      const shown = await readSource(config(), name)
      await printResult(json ? JSON.stringify(shown) : shown.map(sourceText).join("\n\n"))
    })
}

async function readSource(config: Config, name: string): Promise<ShownSource[]> {
  const details = await withDatabase(config, ({ url }) =>
    withSnapshot(url, (sql) => sourceDetails(sql, name)),
  )
  if (details.length === 0) throw new LoadError(notLoaded(name))
  return details.map(({ missing_records, ...status }) => ({
    ...status,
    missing_records: missing_records.map((record) => ({
      ...record,
      goes_from: goesFrom(record.missing_since, config.ABSENT_AFTER_HOURS),
    })),
  }))
}

function notLoaded(name: string): string {
  const source = sourceNamed(name)
  return typeof source === "string" ? source : `The source ${name} has not been loaded yet`
}

const statusTable = (statuses: readonly SourceStatus[]): string =>
  formatTable(
    [
      "source",
      "resource",
      "records",
      "missing",
      "observed",
      "changed",
      "release",
      "loaded",
      "outcome",
    ],
    statuses.map((status) => [
      status.name,
      status.resource,
      formatCount(status.records),
      formatCount(status.missing),
      status.last_observed_at ?? "",
      status.last_changed_at ?? "",
      String(status.last_release ?? ""),
      status.last_loaded_at ?? "",
      excerpt(outcome(status), longestOutcome),
    ]),
  )

/** In a list; `show` and `--json` have the whole reason. */
const longestOutcome = 100

const outcome = ({ last_outcome, last_reason }: SourceStatus): string =>
  last_reason === null ? last_outcome : `${last_outcome}: ${last_reason}`

function sourceText(source: ShownSource): string {
  const { name, resource, records, missing, missing_records } = source
  const facts = [
    [name, `${formatCount(records)} ${resource}, ${formatCount(missing)} of them missing`],
    ["last outcome", outcome(source)],
    ["last loaded", source.last_loaded_at ?? "never"],
    ["last fetched", fetchText(source)],
    ["files of", source.last_observed_at ?? "unknown"],
    [
      "last changed",
      source.last_release === null
        ? "never"
        : `${source.last_changed_at}, release ${source.last_release}`,
    ],
  ]
  return [
    ...facts.map(([label, value]) => `${label}: ${value}`),
    ...(missing_records.length > 0 ? ["", missingTable(missing_records)] : []),
  ].join("\n")
}

/** Also when the last fetch began, where that one has not got its files. */
function fetchText({
  last_attempted_at: attempted,
  last_fetched_at: fetched,
}: ShownSource): string {
  const isLater = attempted !== null && (fetched === null || attempted > fetched)
  return (fetched ?? "never") + (isLater ? `, last attempted: ${attempted}` : "")
}

/** A record goes with the first load from then on that lacks it too. */
const missingTable = (records: ShownSource["missing_records"]): string =>
  formatTable(
    ["missing", "since", "last missed", "loads", "goes from", "name"],
    records.map((record) => [
      record.key,
      record.missing_since,
      record.last_missing_at,
      formatCount(record.loads),
      record.goes_from,
      record.label,
    ]),
  )

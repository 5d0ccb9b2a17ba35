import { missingRecords } from "../data/db/missing-records.ts"
import { type SourceStatus, sourceStatuses } from "../data/db/source-status.ts"
import { LoadError } from "../ingest/loading/load-error.ts"
import { removeSource } from "../ingest/loading/remove-source.ts"
import { sourceNamed } from "../ingest/sources/catalogue.ts"
import { formatCount } from "../system/text/display.ts"
import { excerpt, printableLine } from "../system/text/printable-text.ts"
import { hourMs, secondOf } from "../system/text/time.ts"
import { argument, command, group, reading } from "./command.ts"
import { withDatabase, withSnapshotOf } from "./database.ts"
import { reportChange } from "./loads.ts"
import { formatTable } from "./terminal.ts"

const list = reading({
  help: "list the sources: their records, missing records, last load and its outcome",
  read: (_, { config }) => withSnapshotOf(config, sourceStatuses),
  text: (statuses) =>
    formatTable(
      statuses.map((status) => ({
        source: status.name,
        resource: status.resource,
        records: formatCount(status.records),
        missing: formatCount(status.missing),
        data_as_of: status.last_observed_at,
        changed: status.last_changed_at,
        release: status.last_release,
        loaded: status.last_loaded_at,
        outcome: excerpt(outcomeOf(status), longestOutcome),
      })),
    ),
})

const show = reading({
  help: "show a source and its missing records",
  parameters: { source: argument(String) },
  read: async ({ source }, { config }) => {
    const details = await withSnapshotOf(config, async (sql) => {
      const status = (await sourceStatuses(sql)).find(({ name }) => name === source)
      if (!status) return undefined
      return { ...status, missing_records: await missingRecords(sql, source, status.resource) }
    })
    if (details === undefined) {
      const known = sourceNamed(source)
      throw new LoadError(
        typeof known === "string" ? known : `The source ${source} has not been loaded yet`,
      )
    }
    return {
      ...details,
      // From this time on, a load that lacks the record removes or deactivates it.
      missing_records: details.missing_records.map((record) => ({
        ...record,
        removable_from: secondOf(
          new Date(Date.parse(record.missing_since) + config.ABSENT_AFTER_HOURS * hourMs),
        ),
      })),
    }
  },
  text: ({ missing_records, ...status }) =>
    [
      ...Object.entries(status)
        .filter(([name]) => name !== "counts")
        .map(([name, value]) =>
          printableLine(`${labels[name] ?? name.replaceAll("_", " ")}: ${value ?? "-"}`),
        ),
      `\nMissing records:\n${formatTable(missing_records)}`,
    ].join("\n"),
})

const remove = command({
  help: "remove the records of a source in a release, and forget its loads",
  parameters: { source: argument(String) },
  run: ({ source }, { config }) =>
    withDatabase(config, ({ url }) =>
      reportChange((progress) => removeSource(url, source, progress), {
        published: ({ changes, resource }) =>
          `${formatCount(changes.removed)} ${resource.name} of the source ${source} were removed`,
        unchanged: `The source ${source} had no records: nothing was published`,
      }),
    ),
})

export const sourcesCommand = group(
  "show the sources, their loads and missing records; remove a source",
  {
    list,
    show,
    remove,
  },
)

/** The labels of the figures that say only with their resource what they count. */
const labels: Record<string, string> = {
  linked: "tenements linked to a company",
  of_companies: "tenements with a company among the holders",
}

/** In a list; `show` and `--json` have the whole reason. */
const longestOutcome = 100

const outcomeOf = ({ last_outcome, last_reason }: SourceStatus): string =>
  last_reason === null ? last_outcome : `${last_outcome}: ${last_reason}`

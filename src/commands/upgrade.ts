/** Brings a database to this version of the program. */
import { migrate } from "../data/db/migrate.ts"
import type { Pending } from "../data/db/pending.ts"
import { applyRules, recordsOf } from "../ingest/loading/apply-rules.ts"
import { rowsChanged, sum } from "../ingest/loading/figures.ts"
import type { PublishedChange } from "../ingest/loading/publishing.ts"
import { secondsSince } from "../ingest/loading/source-record.ts"
import { version } from "../program.ts"
import { countOf, formatCount } from "../system/text/display.ts"
import { reportChange } from "./loads.ts"
import { logToStderr } from "./terminal.ts"

/** Applies the missing migrations, then the newer rules. Reports both before they begin and after their commit. */
export async function upgrade(
  url: string,
  { version: from, migrations, rules }: Pending,
  print?: (text: string) => void,
): Promise<void> {
  const startedMs = performance.now()
  const parts = [...migrations.map(({ number }) => migrationName(number)), ...rules]
  const what = from === null ? "an empty database" : `the database of version ${from}`
  logToStderr(`Migrating ${what} to version ${version}: ${parts.join(", ")}`)
  for (const { number, ms } of await migrate(url)) {
    logToStderr(`Applied ${migrationName(number)} in ${(ms / 1000).toFixed(1)} s`)
  }
  if (rules.length > 0) {
    const records = (await recordsOf(url, rules)).map(
      ([name, count]) => `${name} ${formatCount(count)}`,
    )
    logToStderr(`Computing ${rules.join(", ")} again (${records.join(", ") || "no records"})`)
    const text = {
      published: ({ changes, others, links }: PublishedChange) => {
        const rows = [changes, ...Object.values(others ?? {})].map(rowsChanged)
        return `${countOf(sum(rows) + sum(links?.changed ?? {}), "record")} changed`
      },
      unchanged: "No record changed in a response, so no release was published",
    }
    await reportChange((progress) => applyRules(url, progress), text, print)
  }
  logToStderr(`Migrated in ${secondsSince(startedMs).toFixed(1)} s`)
}

const migrationName = (number: number): string => `migration ${String(number).padStart(4, "0")}`

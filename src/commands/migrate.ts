import { withFirstConnection } from "../data/db/first-connection.ts"
import { applyMigrations } from "../data/db/migrate.ts"
import { pendingOf } from "../data/db/pending.ts"
import { applyRules, recordsOf } from "../ingest/loading/apply-rules.ts"
import { rowsChanged, sum } from "../ingest/loading/figures.ts"
import type { PublishedChange } from "../ingest/loading/publishing.ts"
import { secondsSince } from "../ingest/loading/source-record.ts"
import { version } from "../program.ts"
import { countOf, formatCount } from "../system/text/display.ts"
import { command } from "./command.ts"
import { openDatabase } from "./database.ts"
import { reportChange } from "./loads.ts"
import { logToStderr } from "./terminal.ts"

export const migrateCommand = command({
  help: "migrate the database to this version, while the version before serves",
  details:
    "`serve` and `quickstart` also apply migrations. Only `migrate` computes stored values again, in a release.\nIf it is interrupted, run it again.",
  run: async (_, { config }) => {
    const database = await openDatabase(config, upgrade)
    await database.close()
  },
})

/** Applies the missing migrations, then the newer rules. Reports each before it begins and after it ends. */
async function upgrade(url: string): Promise<void> {
  const startedMs = performance.now()
  const { version: from, migrations, rules } = await withFirstConnection(url, pendingOf)
  if (migrations.length + rules.length === 0) {
    logToStderr(`Nothing to do: the database is up to date with version ${version}`)
    return
  }
  const parts = [...migrations.map(({ number }) => migrationName(number)), ...rules]
  const what = from === null ? "an empty database" : `the database of version ${from}`
  logToStderr(`Migrating ${what} to version ${version}: ${parts.join(", ")}`)
  await applyMigrations(url, (number, ms) =>
    logToStderr(`Applied ${migrationName(number)} in ${(ms / 1000).toFixed(1)} s`),
  )
  if (rules.length > 0) {
    const records = (await recordsOf(url, rules)).map(
      ([name, count]) => `${name} ${formatCount(count)}`,
    )
    logToStderr(`Computing ${rules.join(", ")} again (${records.join(", ") || "no records"})`)
    await reportChange((progress) => applyRules(url, progress), {
      published: ({ changes, others, links }: PublishedChange) => {
        const rows = [changes, ...Object.values(others ?? {})].map(rowsChanged)
        return `${countOf(sum(rows) + sum(links?.changed ?? {}), "record")} changed`
      },
      unchanged: "No record changed in a response, so no release was published",
    })
  }
  logToStderr(`Migrated in ${secondsSince(startedMs).toFixed(1)} s`)
}

const migrationName = (number: number): string => `migration ${String(number).padStart(4, "0")}`

/** Reads a whole backup before anything is changed, and finds out whether this program can restore it. */
import { programMigrations } from "../db/migrate.ts"
import type { Progress } from "../loading/progress.ts"
import type { ArchiveHead, Entry } from "./archive.ts"
import { migrationsTable } from "./contents.ts"
import { type BackupInput, readTables, refused } from "./input-file.ts"
import { tablesAfter } from "./tables.ts"

export interface Verified {
  head: ArchiveHead
  schemaVersion: number
  /** The tables of the service at that version. */
  tables: readonly string[]
  /** Those in the file that are not the service's. */
  others: readonly string[]
  hasChecksum: boolean
}

/** @throws BackupError where the file cannot be read, is damaged or is not for this program */
export async function verify(input: BackupInput, progress: Progress): Promise<Verified> {
  const found = new Set<string>()
  let migrations = ""
  const { head, hasChecksum } = await readTables({
    input,
    progress,
    task: "Checking",
    onTable: async (entry, text) => {
      const isRecord = isMigrations(entry)
      if (entry.schema === "public") found.add(entry.name)
      for await (const chunk of text) if (isRecord) migrations += Buffer.from(chunk).toString()
    },
  })
  const schemaVersion = versionOf(input, migrations)
  const tables = tablesAfter(programMigrations().slice(0, schemaVersion))
  const missing = tables.filter((table) => !found.has(table))
  if (missing.length > 0) throw refused(input, `it lacks the data of ${missing.join(", ")}`)
  const withoutCopy = head.entries.find(({ hasData, copy }) => hasData && copy === "")
  if (withoutCopy) throw refused(input, "its data are INSERT statements; make it without --inserts")
  const others = [...found].filter((table) => !tables.includes(table))
  return { head, schemaVersion, tables, others, hasChecksum }
}

export const isMigrations = ({ schema, name }: Entry): boolean =>
  schema === migrationsTable.schema && name === migrationsTable.name

/** @param recorded the rows of the table of migrations, of which the last column is when each was generated */
function versionOf(input: BackupInput, recorded: string): number {
  const generated = [...recorded.matchAll(/^\d+\t[0-9a-f]+\t(\d+)$/gm)].map(([, ms]) => Number(ms))
  const known = programMigrations().map(({ folderMillis }) => folderMillis)
  if (generated.length === 0)
    throw refused(input, "it is no backup of this service: it has no migrations")
  if (Math.max(...generated) > Math.max(...known)) {
    throw refused(
      input,
      `it is at schema version ${generated.length}, which is newer than this program's version ${known.length}. ` +
        "Restore it with the program that made it, or one that is newer",
    )
  }
  return known.filter((ms) => ms <= Math.max(...generated)).length
}

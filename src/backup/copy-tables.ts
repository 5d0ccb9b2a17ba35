/** Copies the rows of a backup into tables that are empty. */
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { TransactionSql } from "postgres"
import { deferrableIndexes, type Index } from "../db/deferrable-indexes.ts"
import type { Progress } from "../loading/progress.ts"
import { ArchiveError, type Entry, sequenceSet } from "./archive.ts"
import { type BackupInput, readTables } from "./input-file.ts"
import { quoted } from "./table-text.ts"

export interface CopyOptions {
  /** Of the tables. */
  schema: string
  input: BackupInput
  tables: readonly string[]
  progress: Progress
}

/** Triggers do not fire for the rows: they are no changes. Indexes are built afterwards, which is faster. */
export async function copyTables(sql: TransactionSql, options: CopyOptions): Promise<void> {
  const { schema, input, tables, progress } = options
  const nameOf = (table: string): string => `${quoted(schema)}.${quoted(table)}`
  const indexes: Index[] = []
  for (const table of tables) {
    await sql.unsafe(`alter table ${nameOf(table)} disable trigger user`)
    for (const index of await deferrableIndexes(sql, nameOf(table))) {
      indexes.push(index)
      await sql.unsafe(`drop index ${index.name}`)
    }
  }
  const { head } = await readTables({
    input,
    progress,
    task: "Restoring",
    onTable: (entry, text) =>
      entry.schema === "public" && tables.includes(entry.name)
        ? copy(sql, nameOf(entry.name), entry, text)
        : skip(text),
  })
  for (const entry of head.entries) await setSequence(sql, schema, entry)
  progress.step("Building the indexes")
  for (const { definition } of indexes) await sql.unsafe(definition)
  for (const table of tables) {
    await sql.unsafe(`alter table ${nameOf(table)} enable trigger user`)
  }
}

const columnsPattern = /\(((?:"[^"]+"|\w+)(?:, (?:"[^"]+"|\w+))*)\) FROM stdin;\s*$/

async function copy(
  sql: TransactionSql,
  table: string,
  entry: Entry,
  text: AsyncIterable<Uint8Array>,
): Promise<void> {
  const columns = columnsPattern.exec(entry.copy)?.[1]
  if (columns === undefined) throw new ArchiveError(`its COPY of ${entry.name} cannot be read`)
  const writable = await sql.unsafe(`copy ${table} (${columns}) from stdin`).writable()
  await pipeline(Readable.from(text), writable)
}

async function skip(text: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of text);
}

const setvalPattern = /setval\('(?:"?public"?\.)"?(\w+)"?', (\d+), (true|false)\)/

/** A sequence that is not the service's is left out. */
async function setSequence(sql: TransactionSql, schema: string, entry: Entry): Promise<void> {
  const [, name, value = "", isCalled] = setvalPattern.exec(entry.definition) ?? []
  if (entry.kind !== sequenceSet || name === undefined) return
  await sql`select setval(s.oid, ${value}::bigint, ${isCalled === "true"})
    from pg_class s join pg_namespace n on n.oid = s.relnamespace
    where s.relkind = 'S' and n.nspname = ${schema} and s.relname = ${name}`
}

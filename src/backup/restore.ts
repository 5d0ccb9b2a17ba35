/**
 * Restores a backup in one transaction: what the database had stays until all of the backup is there,
 * and a restore that fails or is killed changes nothing.
 *
 *   lock out loads and migrations -> make the backup's tables in a schema of their own -> their rows
 *   -> migrate them to this program's version -> put them in the place of the present ones -> commit
 *
 * Serving processes go on reading the present tables meanwhile. They wait only for the exchange, and
 * are notified that everything may have changed.
 */
import type { Sql, TransactionSql } from "postgres"
import { lockPublishing } from "../db/advisory-locks.ts"
import { committed } from "../db/commit.ts"
import { changeAndConfirm } from "../db/confirmed-change.ts"
import {
  applyMigrations,
  lockOutMigrations,
  programMigrations,
  recordAll,
  schemaVersionIn,
} from "../db/migrate.ts"
import { changesChannel, releasesChannel } from "../db/notifications.ts"
import type { Progress } from "../loading/progress.ts"
import { copyTables } from "./copy-tables.ts"
import { exchangeTables } from "./exchange-tables.ts"
import { type BackupInput, refused } from "./input-file.ts"
import { ownershipFault } from "./ownership.ts"
import { quoted } from "./table-text.ts"
import { tablesAfter } from "./tables.ts"
import { type Verified, verify } from "./verify.ts"

export interface RestoreOptions {
  /** Of the database: `postgres://…`. */
  url: string
  input: BackupInput
  /** Whether the data that the database has may be replaced. */
  replace: boolean
  progress: Progress
  /** Called before the COMMIT. */
  onCommit: () => void
}

export interface Restored extends Verified {
  /** The number of the newest release; 0 before the first. */
  release: number
  /** How many serving processes may still show what was there before; undefined if that is unknown. */
  unconfirmed: number | undefined
}

/** Where the tables are made. It never outlives the transaction. */
const workSchema = "mds_restore"

const whenUnknown =
  "It is not known whether the backup was restored. Run the same command again: it restores the same."

/** @throws BackupError where the file or the database is refused; OutcomeUnknown */
export async function restore(options: RestoreOptions): Promise<Restored> {
  const verified = await verify(options.input, options.progress)
  const { value, unconfirmed } = await changeAndConfirm(options.url, (client) =>
    inTransaction(client, options, verified),
  )
  return { ...verified, release: value, unconfirmed }
}

function inTransaction(client: Sql, options: RestoreOptions, verified: Verified): Promise<number> {
  const { progress, onCommit } = options
  return committed(whenUnknown, (committing) =>
    client.begin(async (sql) => {
      await sql.unsafe(sessionSettings)
      await lockPublishing(sql, () => progress.step("Waiting for a load to end"))
      await lockOutMigrations(sql)
      const isFirst = (await schemaVersionIn(sql)) === 0
      await checkTarget(sql, options, isFirst)
      // Its extensions are in schema public, as a first migration makes them.
      if (!isFirst) await sql.unsafe(`create schema ${workSchema}`)
      const schema = isFirst ? "public" : workSchema
      await fill(sql, schema, options, verified)
      if (!isFirst) {
        // Checked again, as rows may have come meanwhile.
        const onLocked = () => checkTarget(sql, options, isFirst)
        const tables = currentTables()
        await exchangeTables(sql, { from: workSchema, tables, progress, onLocked })
      }
      await recordAll(sql)
      const [newest] = await sql`select coalesce(max(id), 0) as id from releases`
      await sql`select pg_notify(${releasesChannel}, ''), pg_notify(${changesChannel}, '')`
      committing()
      onCommit()
      return newest?.id as number
    }),
  )
}

const sessionSettings = `
  set local statement_timeout = 0;
  set local lock_timeout = 0;
  set local idle_in_transaction_session_timeout = 0;
  set local maintenance_work_mem = '128MB';
  set local datestyle = 'ISO';
  set local timezone = 'UTC';
  set local client_encoding = 'UTF8'`

const currentTables = (): string[] => tablesAfter(programMigrations())

/** @throws BackupError where the data or their owner would be lost that were not to be */
async function checkTarget(
  sql: TransactionSql,
  { input, replace }: RestoreOptions,
  isFirst: boolean,
): Promise<void> {
  if (isFirst) return
  const fault = await ownershipFault(sql, currentTables())
  if (fault !== undefined) throw refused(input, fault)
  if (replace) return
  for (const table of currentTables()) {
    const [row] = await sql.unsafe(`select from ${quoted(table)} limit 1`)
    if (row) {
      throw refused(
        input,
        `the database has data already, in ${table}; add --replace to replace all of it`,
      )
    }
  }
}

/** Makes the tables as they were at the backup's version, with its rows, and migrates them. */
async function fill(
  sql: TransactionSql,
  schema: string,
  { input, progress }: RestoreOptions,
  { schemaVersion, tables }: Verified,
): Promise<void> {
  const migrations = programMigrations()
  await sql.unsafe(`set local search_path = ${schema}, public`)
  await applyMigrations(sql, migrations.slice(0, schemaVersion), schema)
  await copyTables(sql, { schema, input, tables, progress })
  if (schemaVersion < migrations.length) {
    progress.step(`Migrating from schema version ${schemaVersion} to ${migrations.length}`)
    await applyMigrations(sql, migrations.slice(schemaVersion), schema)
  }
  await sql.unsafe("set local search_path = default")
}

/**
 * The migrations that a database has are recorded with their digests, in the table that drizzle-kit
 * uses. The number of them is the schema's version.
 *
 * Concurrent migrations wait for each other on a transaction-level advisory lock, which works behind
 * a pooler in transaction mode too. All missing migrations are applied in one transaction. An
 * up-to-date database is only read, which a read-only role or a standby allows.
 */
import { readMigrationFiles } from "drizzle-orm/migrator"
import type { Sql, TransactionSql } from "postgres"
import { programRoot } from "../program.ts"
import { codeOf } from "../text/error-code.ts"
import { locks } from "./advisory-locks.ts"
import { failureReason, isForbidden } from "./database-errors.ts"
import { DatabaseError, withFirstConnection } from "./first-connection.ts"

/** How long to wait for another process that migrates the database. */
const migrationWaitMs = 30_000
/**
 * How long to wait for a table, as long as its readers then have to wait in return. Below
 * `deadlock_timeout`, a second by default, at which PostgreSQL may end a reader instead.
 */
const tableWaitMs = 500

/** The migrations of this program, in their order. */
const programMigrations = () =>
  readMigrationFiles({
    migrationsFolder: Bun.fileURLToPath(new URL("drizzle", programRoot)),
  })

/**
 * Applies the missing migrations to the database at `url`. Safe to call from several processes at once.
 * @throws DatabaseError where it can't be reached, is of another baseline or newer than this program,
 * or can't be changed
 */
export async function migrate(url: string, waitMs = migrationWaitMs): Promise<void> {
  await withFirstConnection(url, async (client) => {
    const applied = await appliedTo(client)
    if (missingFrom(applied).length === 0) return
    const what = `Cannot migrate the database from schema version ${applied.length} to ${programMigrations().length}`
    await client
      .begin((tx) => applyMissing(tx, waitMs))
      .catch((error) => {
        throw explained(what, error)
      })
  })
}

function explained(what: string, error: unknown): unknown {
  if (isForbidden(error)) {
    return new DatabaseError(
      `${what}: ${error.message}. Run \`mds migrate\` on the primary server, with the role that owns the tables`,
    )
  }
  if (isLockFailure(error)) {
    return new DatabaseError(
      `${what}: another session is using a table. Wait until that session has ended, then try again`,
    )
  }
  const reason = failureReason(error)
  return reason === undefined ? error : new DatabaseError(`${what}: ${reason}`, { cause: error })
}

/** The lock was not granted in time, or the session that has it would have waited in return. */
const isLockFailure = (error: unknown): boolean => ["55P03", "40P01"].includes(codeOf(error))

/** @throws DatabaseError where the database at `url` can't be reached or has another schema */
export async function checkSchema(url: string): Promise<void> {
  const applied = await withFirstConnection(url, appliedTo)
  if (missingFrom(applied).length === 0) return
  const found =
    applied.length === 0
      ? "The database has no tables yet, and this program needs schema"
      : `The database is at schema version ${applied.length}, and this program needs`
  throw new DatabaseError(
    `${found} version ${programMigrations().length}. Run \`mds migrate\` first`,
  )
}

/** The digests of the migrations that the database has. */
async function appliedTo(client: Sql | TransactionSql): Promise<string[]> {
  try {
    // Not by to_regclass, whose result may be out of date after the wait for a lock.
    const [found] = await client`select from pg_tables
      where schemaname = 'drizzle' and tablename = '__drizzle_migrations'`
    if (!found) return []
    const applied = await client<{ hash: string }[]>`
      select hash from drizzle.__drizzle_migrations order by created_at, id`
    return applied.map(({ hash }) => hash)
  } catch (error) {
    if (!isForbidden(error)) throw error
    throw new DatabaseError(
      `Cannot read the database's schema version: ${error.message}. ` +
        "Grant this role USAGE on schema drizzle and SELECT on its tables",
    )
  }
}

/** @throws DatabaseError where the database has migrations that this program does not have */
function missingFrom(applied: readonly string[]) {
  const migrations = programMigrations()
  if (migrations.some(({ hash }, index) => index < applied.length && hash !== applied[index])) {
    throw new DatabaseError(
      "This database was made by an earlier development version: create an empty one and load again",
    )
  }
  if (applied.length > migrations.length) {
    throw new DatabaseError(
      `The database is at schema version ${applied.length}, which is newer than this program's version ${migrations.length}. ` +
        "Run the program that migrated it, or one that is newer",
    )
  }
  return migrations.slice(applied.length)
}

async function applyMissing(tx: TransactionSql, waitMs: number): Promise<void> {
  await setLockTimeout(tx, waitMs)
  await tx`select pg_advisory_xact_lock(${locks.migrating})`.catch((error) => {
    if (!isLockFailure(error)) throw error
    throw new DatabaseError(
      `Cannot migrate the database: another process has been migrating it for ${waitMs / 1000} seconds. ` +
        "Wait until that one has ended, then try again",
    )
  })
  await setLockTimeout(tx, tableWaitMs)
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint
  )`
  // Another process may have applied some while this one waited.
  for (const { sql, hash, folderMillis } of missingFrom(await appliedTo(tx))) {
    for (const statements of sql) await tx.unsafe(statements)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${folderMillis})`
  }
}

const setLockTimeout = (tx: TransactionSql, ms: number) =>
  tx`select set_config('lock_timeout', ${String(ms)}, true)`

/**
 * The schema's version is the number of migrations applied to the database, which are recorded in the
 * table that drizzle-kit uses.
 *
 * Concurrent migrations wait for each other on a transaction-level advisory lock, which works behind
 * a pooler in transaction mode too. All missing migrations are applied in one transaction. An
 * up-to-date database is only read, which a read-only role or a standby allows.
 */
import { type MigrationMeta, readMigrationFiles } from "drizzle-orm/migrator"
import type { Sql, TransactionSql } from "postgres"
import { locks } from "./advisory-locks.ts"
import { failureReason } from "./failure-reason.ts"
import { DatabaseError, withFirstConnection } from "./first-connection.ts"
import { isForbidden } from "./forbidden.ts"
import { isLockFailure, retryLocks } from "./short-locks.ts"

const lockTimeoutMs = 30_000

interface Applied {
  version: number
  /** When the newest was generated, which orders migrations; 0 before the first. */
  newestMs: number
}

/** The migrations of this program, in their order. */
export const programMigrations = () =>
  readMigrationFiles({
    migrationsFolder: Bun.fileURLToPath(new URL("../../drizzle", import.meta.url)),
  })

/**
 * Applies the missing migrations to the database at `url`. Safe to call from several processes at once.
 * @throws DatabaseError where it can't be reached, is newer than this program, or can't be changed
 */
export async function migrate(url: string, options = { lockTimeoutMs }): Promise<void> {
  await withFirstConnection(url, async (client) => {
    const before = await appliedTo(client)
    if (missingFrom(before).length === 0) return
    await retryLocks(options.lockTimeoutMs, (waitMs) =>
      client.begin((tx) => applyMissing(tx, options.lockTimeoutMs, waitMs)),
    ).catch((error) => {
      const what = `Cannot migrate the database from schema version ${before.version} to ${programMigrations().length}`
      throw explained(what, error, options.lockTimeoutMs)
    })
  })
}

function explained(what: string, error: unknown, waitedMs: number): unknown {
  if (isForbidden(error)) {
    return new DatabaseError(
      `${what}: ${error.message}. Run \`mds migrate\` on the primary server, with the role that owns the tables`,
    )
  }
  if (isLockFailure(error)) {
    return new DatabaseError(
      `${what}: another session has been using a table for ${waitedMs / 1000} seconds. ` +
        "Wait until that one has ended, then try again",
    )
  }
  const reason = failureReason(error)
  return reason === undefined ? error : new DatabaseError(`${what}: ${reason}`, { cause: error })
}

/** @throws DatabaseError where the database at `url` can't be reached or has another schema version */
export async function checkSchema(url: string): Promise<void> {
  const applied = await withFirstConnection(url, appliedTo)
  if (missingFrom(applied).length === 0) return
  const found =
    applied.version === 0
      ? "The database has no tables yet, and this program needs schema"
      : `The database is at schema version ${applied.version}, and this program needs`
  throw new DatabaseError(
    `${found} version ${programMigrations().length}. Run \`mds migrate\` first`,
  )
}

/**
 * The version of the database's schema, 0 before the first migration.
 * @throws DatabaseError where it is newer than this program
 */
export async function schemaVersionIn(client: Sql | TransactionSql): Promise<number> {
  const applied = await appliedTo(client)
  missingFrom(applied)
  return applied.version
}

/**
 * The same of the database at `url`.
 * @throws DatabaseError also where it can't be reached
 */
export const schemaVersion = (url: string): Promise<number> =>
  withFirstConnection(url, schemaVersionIn)

/** @throws DatabaseError as `checkSchema`, but not where the database has no tables yet */
export async function checkSchemaIfAny(url: string): Promise<void> {
  if ((await schemaVersion(url)) > 0) await checkSchema(url)
}

async function appliedTo(client: Sql | TransactionSql): Promise<Applied> {
  try {
    // Not by to_regclass, whose result may be out of date after the wait for a lock.
    const [found] = await client`select from pg_tables
      where schemaname = 'drizzle' and tablename = '__drizzle_migrations'`
    if (!found) return { version: 0, newestMs: 0 }
    const [applied] = await client<Applied[]>`
      select count(*)::int as version, coalesce(max(created_at), 0)::float8 as "newestMs"
      from drizzle.__drizzle_migrations`
    return applied ?? { version: 0, newestMs: 0 }
  } catch (error) {
    if (!isForbidden(error)) throw error
    throw new DatabaseError(
      `Cannot read the database's schema version: ${error.message}. ` +
        "Grant this role USAGE on schema drizzle and SELECT on its tables",
    )
  }
}

/** @throws DatabaseError where the database has newer migrations than this program */
function missingFrom({ version, newestMs }: Applied) {
  const migrations = programMigrations()
  if (newestMs > (migrations.at(-1)?.folderMillis ?? 0)) {
    throw new DatabaseError(
      `The database is at schema version ${version}, which is newer than this program's version ${migrations.length}. ` +
        "Run the program that migrated it, or one that is newer",
    )
  }
  return migrations.filter(({ folderMillis }) => folderMillis > newestMs)
}

/**
 * @param lockTimeoutMs how long to wait for another process that migrates the database
 * @param waitMs how long to wait for a table: the readers of the table wait as long
 */
async function applyMissing(
  tx: TransactionSql,
  lockTimeoutMs: number,
  waitMs: number,
): Promise<void> {
  await setLockTimeout(tx, lockTimeoutMs)
  await lockOutMigrations(tx).catch((error) => {
    if (!isLockFailure(error)) throw error
    throw new DatabaseError(
      `Cannot migrate the database: another process has been migrating it for ${lockTimeoutMs / 1000} seconds. ` +
        "Wait until that one has ended, then try again",
    )
  })
  await setLockTimeout(tx, waitMs)
  // Another process may have applied some while this one waited.
  const applied = await appliedTo(tx)
  const missing = missingFrom(applied)
  if (applied.version === 0) await createRecord(tx)
  await applyMigrations(tx, missing)
  await record(tx, missing)
}

const setLockTimeout = (tx: TransactionSql, ms: number) =>
  tx`select set_config('lock_timeout', ${String(ms)}, true)`

/** Until the transaction ends. */
export const lockOutMigrations = (tx: TransactionSql) =>
  tx`select pg_advisory_xact_lock(${locks.migrating})`

/** @param schema where the tables are, if it is not public; the first of the search path then */
export async function applyMigrations(
  tx: TransactionSql,
  migrations: readonly MigrationMeta[],
  schema = "public",
): Promise<void> {
  for (const { sql } of migrations) {
    for (const statements of sql) {
      // drizzle-kit names the schema of a table that a foreign key references.
      await tx.unsafe(schema === "public" ? statements : statements.replaceAll('"public".', ""))
    }
  }
}

/** Records that the database is at this program's version, whatever was recorded before. */
export async function recordAll(tx: TransactionSql): Promise<void> {
  await createRecord(tx)
  await tx`delete from drizzle.__drizzle_migrations`
  await record(tx, programMigrations())
}

async function createRecord(tx: TransactionSql): Promise<void> {
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint
  )`
}

async function record(tx: TransactionSql, migrations: readonly MigrationMeta[]): Promise<void> {
  for (const { hash, folderMillis } of migrations) {
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${folderMillis})`
  }
}

/**
 * Applies migrations and records their digests in drizzle-kit's table.
 *
 * Concurrent migrations wait for each other on a transaction-level advisory lock, which works behind a pooler
 * in transaction mode too. One transaction applies all missing migrations. An up-to-date database is only
 * read, so a read-only role or a standby suffices.
 */
import { readMigrationFiles } from "drizzle-orm/migrator"
import type { Sql, TransactionSql } from "postgres"
import { programRoot } from "../../program.ts"
import { locks } from "./advisory-locks.ts"
import { failureReason, isForbidden, isLockTimeout } from "./database-errors.ts"
import { DatabaseError, withFirstConnection } from "./first-connection.ts"

/** The time limit for another process that migrates the database. */
const migrationWaitMs = 30_000

/** Returns the migrations of this program in order. */
const programMigrations = () =>
  readMigrationFiles({
    migrationsFolder: Bun.fileURLToPath(new URL("drizzle", programRoot)),
  })

/**
 * Applies the missing migrations to the database at `url`. Safe to call from several processes at once.
 * @throws DatabaseError if it is unreachable, of another version, or read-only
 */
export async function migrate(url: string, waitMs = migrationWaitMs): Promise<void> {
  await withFirstConnection(url, async (client) => {
    if (missingFrom(await appliedTo(client)).length === 0) return
    await client
      .begin((tx) => applyMissing(tx, waitMs))
      .catch((error: unknown) => {
        throw explained(error, waitMs)
      })
  })
}

function explained(error: unknown, waitMs: number): unknown {
  const what = "Cannot migrate the database"
  if (isForbidden(error)) {
    return new DatabaseError(
      `${what}: ${error.message}. Run \`mds migrate\` on the primary server, with the role that owns the tables`,
    )
  }
  if (isLockTimeout(error)) {
    return new DatabaseError(
      `${what}: another process has been migrating it for ${waitMs / 1000} seconds. ` +
        "Wait until that one has ended, then try again",
    )
  }
  const reason = failureReason(error)
  return reason === undefined ? error : new DatabaseError(`${what}: ${reason}`, { cause: error })
}

/** @throws DatabaseError if the database at `url` is unreachable or has another schema */
export async function checkSchema(url: string): Promise<void> {
  const applied = await withFirstConnection(url, appliedTo)
  if (missingFrom(applied).length === 0) return
  const found = applied.length === 0 ? "has no tables yet" : "is of an earlier version"
  throw new DatabaseError(`The database ${found}. Run \`mds migrate\` first`)
}

/** Returns the digests of the applied migrations. */
async function appliedTo(client: Sql | TransactionSql): Promise<string[]> {
  try {
    // The result of to_regclass may be stale after the wait for a lock.
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

/** @throws DatabaseError if the database has migrations that this program lacks */
function missingFrom(applied: readonly string[]) {
  const migrations = programMigrations()
  if (applied.some((hash, index) => hash !== migrations[index]?.hash)) {
    throw new DatabaseError(
      "This database was made by another version of this program: run that version, or create an empty database and load again",
    )
  }
  return migrations.slice(applied.length)
}

async function applyMissing(tx: TransactionSql, waitMs: number): Promise<void> {
  await tx`select set_config('lock_timeout', ${String(waitMs)}, true)`
  await tx`select pg_advisory_xact_lock(${locks.migrating})`
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint
  )`
  // Another process may have applied some meanwhile.
  for (const { sql, hash, folderMillis } of missingFrom(await appliedTo(tx))) {
    for (const statements of sql) await tx.unsafe(statements)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at)
      values (${hash}, ${folderMillis})`
  }
}

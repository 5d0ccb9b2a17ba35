/**
 * Applies migrations and records their digests in drizzle-kit's table.
 *
 * Concurrent migrations wait for each other on a transaction-level advisory lock, which works behind a pooler
 * in transaction mode too. One transaction applies all missing migrations. An up-to-date database is only
 * read, so a read-only role or a standby suffices.
 */
import type { TransactionSql } from "postgres"
import { version } from "../../program.ts"
import { locks } from "./advisory-locks.ts"
import { failureReason, isForbidden, isLockTimeout } from "./database-errors.ts"
import { DatabaseError, withFirstConnection } from "./first-connection.ts"
import { isUpToDate, ofEarlierVersion, pendingOf, recordRules } from "./pending.ts"

/** The time limit for locks of other sessions. */
const migrationWaitMs = 30_000

/** Requests wait behind a lock that a migration waits for. Theirs fail after longer. */
const attemptMs = 1_000

interface MigrateOptions {
  /** Called for each migration, with its number and the time that it took. */
  onApplied?: (number: number, ms: number) => void
  waitMs?: number
}

/**
 * Applies the missing migrations to the database at `url`. Safe to call from several processes at once.
 * @throws DatabaseError if it is unreachable, locked, of a later version, or read-only
 */
export async function migrate(
  url: string,
  { onApplied = () => {}, waitMs = migrationWaitMs }: MigrateOptions = {},
): Promise<void> {
  await withFirstConnection(url, async (client) => {
    if ((await pendingOf(client)).migrations.length === 0) return
    const endMs = performance.now() + waitMs
    const attempt = (): Promise<void> =>
      client
        .begin((tx) => applyMissing(tx, onApplied))
        .catch((error: unknown) => {
          if (isLockTimeout(error) && performance.now() < endMs) return attempt()
          throw explained(error, waitMs)
        })
    await attempt()
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
      `${what}: another session, such as a migration or pg_dump, has locked it for ${waitMs / 1000} seconds. ` +
        "Wait until that session has ended, then try again",
    )
  }
  const reason = failureReason(error)
  return reason === undefined ? error : new DatabaseError(`${what}: ${reason}`, { cause: error })
}

/** @throws DatabaseError if the database at `url` is unreachable or of another version */
export async function checkSchema(url: string): Promise<void> {
  const pending = await withFirstConnection(url, pendingOf)
  if (isUpToDate(pending)) return
  if (pending.version !== null) throw ofEarlierVersion()
  throw new DatabaseError("The database has no tables yet. Run `mds migrate` first")
}

async function applyMissing(
  tx: TransactionSql,
  onApplied: (number: number, ms: number) => void,
): Promise<void> {
  await tx`select set_config('lock_timeout', ${String(attemptMs)}, true), set_config('statement_timeout', '0', true)`
  await tx`select pg_advisory_xact_lock(${locks.migrating})`
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint, version text
  )`
  // Another process may have applied some meanwhile.
  const pending = await pendingOf(tx)
  for (const { number, sql, hash, folderMillis } of pending.migrations) {
    const startedMs = performance.now()
    for (const statements of sql) await tx.unsafe(statements)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at, version)
      values (${hash}, ${folderMillis}, ${version})`
    onApplied(number, performance.now() - startedMs)
  }
  if (pending.version === null) await recordRules(tx)
}

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

/** Requests wait behind a lock that a migration waits for. Theirs fail after longer. */
const attemptMs = 1_000

interface AppliedMigration {
  number: number
  /** The time that it took. */
  ms: number
}

/**
 * Applies the missing migrations to the database at `url`. Safe to call from several processes at once.
 * @param attempts each ends when it has waited for a lock for a second
 * @returns the migrations that it applied
 * @throws DatabaseError if it is unreachable, locked, of a later version, or read-only
 */
export async function migrate(url: string, { attempts = 30 } = {}): Promise<AppliedMigration[]> {
  return withFirstConnection(url, async (client) => {
    if ((await pendingOf(client)).migrations.length === 0) return []
    const attempt = (number: number): Promise<AppliedMigration[]> =>
      client.begin(applyMissing).catch((error: unknown) => {
        if (isLockTimeout(error) && number < attempts) return attempt(number + 1)
        throw explained(error, attempts)
      })
    return attempt(1)
  })
}

function explained(error: unknown, attempts: number): unknown {
  const what = "Cannot migrate the database"
  if (isForbidden(error)) {
    return new DatabaseError(
      `${what}: ${error.message}. Run \`mds migrate\` on the primary server, with the role that owns the tables`,
    )
  }
  if (isLockTimeout(error)) {
    return new DatabaseError(
      `${what}: another session, such as a migration or pg_dump, has locked it for ${(attempts * attemptMs) / 1000} seconds. ` +
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

async function applyMissing(tx: TransactionSql): Promise<AppliedMigration[]> {
  await tx`select set_config('lock_timeout', ${String(attemptMs)}, true), set_config('statement_timeout', '0', true)`
  await tx`select pg_advisory_xact_lock(${locks.migrating})`
  await tx`create schema if not exists drizzle`
  await tx`create table if not exists drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint, version text
  )`
  // Another process may have applied some meanwhile.
  const pending = await pendingOf(tx)
  const applied: AppliedMigration[] = []
  for (const { number, sql, hash, folderMillis } of pending.migrations) {
    const startedMs = performance.now()
    for (const statements of sql) await tx.unsafe(statements)
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at, version)
      values (${hash}, ${folderMillis}, ${version})`
    applied.push({ number, ms: performance.now() - startedMs })
  }
  if (pending.version === null) await recordRules(tx)
  return applied
}

/** Migrations are applied once and as a whole, and the error for an incompatible schema says what to do. */

import { afterEach, expect, test } from "bun:test"
import { readMigrationFiles } from "drizzle-orm/migrator"
import postgres from "postgres"
import { checkSchema, migrate } from "../../../src/data/db/migrate.ts"
import { version } from "../../../src/program.ts"
import { holdLock } from "../../support/held-locks.ts"
import { emptyDatabase, type TestDatabase, testDatabase } from "../../support/postgres.ts"
import { until } from "../../support/until.ts"

const known = readMigrationFiles({ migrationsFolder: "drizzle" })

/** Other versions of the program take the same lock. */
const migrationLock = 7_140_233_001

let closing: (() => Promise<unknown>)[] = []

afterEach(async () => {
  for (const close of closing.reverse()) await close()
  closing = []
})

async function opened(making: Promise<TestDatabase>) {
  const database = await making
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  closing.push(database.drop, () => sql.end({ timeout: 1 }))
  return { url: database.url, sql }
}

const migrations = (sql: postgres.Sql) =>
  sql`select count(*)::int, count(distinct hash)::int as distinct from drizzle.__drizzle_migrations`

const locks = (sql: postgres.Sql) =>
  sql`select granted from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`

const reasonOf = (failing: Promise<unknown>): Promise<unknown> =>
  failing.then(
    () => undefined,
    (error: Error) => `${error.name}: ${error.message}`,
  )

/** The URL of a role that owns nothing. @param rights by default, to read everything */
async function roleWith(
  { url, sql }: Awaited<ReturnType<typeof opened>>,
  rights = "in role pg_read_all_data",
): Promise<string> {
  const role = `role_${crypto.randomUUID().replaceAll("-", "")}`
  await sql.unsafe(`create role ${role} login password 'role' ${rights}`)
  closing.push(() => sql`drop role ${sql(role)}`)
  const ofRole = new URL(url)
  ofRole.username = role
  ofRole.password = "role"
  return ofRole.href
}

test("Concurrent migrations apply each migration once", async () => {
  const { url, sql } = await opened(emptyDatabase())
  await sql`select pg_advisory_lock(${migrationLock})`
  const all = Promise.all([migrate(url), migrate(url), migrate(url)])
  // All three have read an empty database.
  await until(async () => (await locks(sql)).filter(({ granted }) => !granted).length === 3)
  await sql`select pg_advisory_unlock(${migrationLock})`
  await all
  expect([...(await migrations(sql))]).toEqual([{ count: known.length, distinct: known.length }])
  expect([...(await locks(sql))]).toEqual([])
})

test("A migration that waits for another process fails with the reason after its timeout", async () => {
  const { url, sql } = await opened(emptyDatabase())
  await sql`select pg_advisory_lock(${migrationLock})`
  expect(await reasonOf(migrate(url, { attempts: 2 }))).toBe(
    "DatabaseError: Cannot migrate the database: another session, such as a migration or pg_dump, has locked it for 2 seconds. " +
      "Wait until that session has ended, then try again",
  )
})

test("A migration waits for the lock of another session in short attempts, between which others read the table", async () => {
  const { url, sql } = await opened(emptyDatabase())
  const other = postgres(url, { onnotice: () => {} })
  closing.push(() => other.end({ timeout: 1 }))
  await sql`create schema drizzle`
  await sql`create table drizzle.__drizzle_migrations (
    id serial primary key, hash text not null, created_at bigint, version text)`
  // The next migration changes tenements.
  for (const { sql: statements, hash, folderMillis } of known.slice(0, 2)) {
    await sql.unsafe(statements.join(""))
    await sql`insert into drizzle.__drizzle_migrations (hash, created_at, version)
      values (${hash}, ${folderMillis}, '1.1.0')`
  }
  await sql`set lock_timeout = 5000`
  await using lock = await holdLock(other, "lock table tenements in access share mode")
  const migrated = migrate(url)
  for (const _ of ["first attempt", "second attempt"]) {
    await until(lock.isAwaited)
    await sql`select from tenements`
  }
  await lock.release()
  expect((await migrated).map(({ number }) => number)).toEqual(
    known.slice(2).map((_, index) => index + 2),
  )
  expect([...(await migrations(sql))]).toEqual([{ count: known.length, distinct: known.length }])
})

test("A migration that fails leaves the database as it was", async () => {
  const { url, sql } = await opened(emptyDatabase())
  await sql`create table companies (asx_code text)`
  expect(await reasonOf(migrate(url))).toContain('relation "companies" already exists')
  const [{ tables } = {}] =
    await sql`select count(*)::int as tables from pg_tables where schemaname in ('public', 'drizzle')`
  expect(tables).toBe(1)
})

test.each([
  ["another baseline", "update drizzle.__drizzle_migrations set hash = 'x', version = '9.9.9'"],
  [
    "a newer program",
    "insert into drizzle.__drizzle_migrations (hash, created_at, version) values ('x', 1e13, '9.9.9')",
  ],
])("The error for a database of %s says what to do", async (_, change) => {
  const { url, sql } = await opened(testDatabase())
  await sql.unsafe(change)
  const refused =
    `DatabaseError: This database was written by version 9.9.9 of the program, and this is version ${version}: ` +
    "run version 9.9.9, or restore the backup from before the upgrade"
  expect(await reasonOf(migrate(url))).toBe(refused)
  expect(await reasonOf(checkSchema(url))).toBe(refused)
})

test("A read-only role can check the schema's version", async () => {
  const reading = await roleWith(await opened(testDatabase()))
  await checkSchema(reading)
  await migrate(reading)
})

test("The error for a role that cannot migrate names the role that can", async () => {
  const reason = await reasonOf(migrate(await roleWith(await opened(emptyDatabase()))))
  expect(reason).toStartWith("DatabaseError: Cannot migrate the database: permission denied")
  expect(reason).toEndWith(
    ". Run `mds migrate` on the primary server, with the role that owns the tables",
  )
})

test("A database whose transactions are read-only is accepted when it is up to date", async () => {
  const readOnly = async (making: Promise<TestDatabase>) => {
    const { url, sql } = await opened(making)
    const name = new URL(url).pathname.slice(1)
    await sql`alter database ${sql(name)} set default_transaction_read_only = on`
    return reasonOf(migrate(url))
  }
  expect(await readOnly(testDatabase())).toBe(undefined)
  expect(await readOnly(emptyDatabase())).toContain(
    "in a read-only transaction. Run `mds migrate` on",
  )
})

test("The error of a role that may not read the version names the missing privileges", async () => {
  const unprivileged = await roleWith(await opened(testDatabase()), "")
  expect(await reasonOf(checkSchema(unprivileged))).toBe(
    "DatabaseError: Cannot read the database's schema version: permission denied for schema drizzle. " +
      "Grant this role USAGE on schema drizzle and SELECT on its tables",
  )
})

/** The migrations create what the schema declares, and keep the rows of a database of an older version. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test"
import { cp, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, relative } from "node:path"
import { is } from "drizzle-orm"
import { getTableConfig, PgTable } from "drizzle-orm/pg-core"
import { drizzle } from "drizzle-orm/postgres-js"
import { migrate as applyMigrations } from "drizzle-orm/postgres-js/migrator"
import postgres from "postgres"
import { addCounts, readHours, readUsage } from "../../src/access/usage-tables.ts"
import * as accountTables from "../../src/db/account-tables.ts"
import { migrate } from "../../src/db/migrate.ts"
import { createPool } from "../../src/db/pool/pool.ts"
import * as dataTables from "../../src/db/schema.ts"
import * as signInTables from "../../src/db/sign-in-tables.ts"
import { emptyDatabase, type TestDatabase, testDatabase } from "../support/postgres.ts"
import { until } from "../support/until.ts"

const root = Bun.fileURLToPath(new URL("../..", import.meta.url))
let folder: string
const opened: { sql: postgres.Sql; database: TestDatabase }[] = []

/** A writable copy of the migrations. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mds-migrations-"))
  await cp(join(root, "drizzle"), folder, { recursive: true })
})

afterEach(async () => {
  for (const { sql, database } of opened.splice(0)) {
    await sql.end({ timeout: 1 })
    await database.drop()
  }
})

afterAll(() => rm(folder, { recursive: true }))

async function open(made: Promise<TestDatabase>) {
  const database = await made
  const sql = postgres(database.url, { max: 1, onnotice: () => {} })
  opened.push({ sql, database })
  return { sql, url: database.url }
}

test("drizzle-kit has nothing left to generate from the schema", async () => {
  const before = await readdir(folder, { recursive: true })
  const config = join(folder, "drizzle.config.json")
  const { default: ours } = await import("../../drizzle.config.ts")
  // drizzle-kit takes `out` from its working directory, even where it is absolute.
  await Bun.write(config, JSON.stringify({ ...ours, out: relative(root, folder) }))
  const generate = Bun.spawn(
    [process.execPath, "node_modules/drizzle-kit/bin.cjs", "generate", "--config", config],
    { cwd: root, stdin: "ignore", stdout: "pipe", stderr: "pipe" },
  )
  const [printed, errors] = await Promise.all([generate.stdout.text(), generate.stderr.text()])
  await rm(config)
  // Its exit status is 0 even after some failures.
  expect([printed.trimEnd().split("\n").at(-1), errors]).toEqual([
    "No schema changes, nothing to migrate 😴",
    "",
  ])
  expect((await readdir(folder, { recursive: true })).sort()).toEqual(before.sort())
})

test("a migrated database has the columns, indexes and checks that the schema declares", async () => {
  const { sql } = await open(testDatabase())
  const tables = Object.values({ ...dataTables, ...accountTables, ...signInTables }).filter(
    (each) => is(each, PgTable),
  )
  expect(tables.length).toBeGreaterThan(10)
  for (const table of tables) {
    const { name, columns, indexes, checks } = getTableConfig(table)
    const [found] = await sql`
      select
        array(select attname::text from pg_attribute where attrelid = t.oid and attnum > 0 and not attisdropped order by 1) as columns,
        array(select indexrelid::regclass::text from pg_index where indrelid = t.oid and not indisprimary order by 1) as indexes,
        array(select conname::text from pg_constraint where conrelid = t.oid and contype = 'c' order by 1) as checks
      from pg_class t where t.oid = ${name}::regclass`
    expect([name, { ...found }]).toEqual([
      name,
      {
        columns: columns.map((column) => column.name).sort(),
        indexes: indexes.map(({ config }) => config.name).sort(),
        checks: checks.map((check) => check.name).sort(),
      },
    ])
  }
})

/** A database to which the first migrations alone were applied. */
async function databaseAfter(migrations: number) {
  const opened = await open(emptyDatabase())
  const journalFile = Bun.file(join(folder, "meta/_journal.json"))
  const journal = await journalFile.json()
  const earlier = { ...journal, entries: journal.entries.slice(0, migrations) }
  await Bun.write(journalFile, JSON.stringify(earlier))
  await applyMigrations(drizzle(opened.sql), { migrationsFolder: folder })
  await Bun.write(journalFile, JSON.stringify(journal))
  return opened
}

const databaseBeforeChecks = () => databaseAfter(3)
const databaseBeforeSignIn = () => databaseAfter(9)

const hash = "0".repeat(64)
const rowsOfBefore = `
  insert into releases values (1, '2026-01-01', 'test', '{}'), (2, '2026-01-02', 'test', '{}');
  insert into companies values ('AAA', 'Alpha', 'alpha', 'alpha', 250000000000, 'Energy', 'energy', null, 1, true, 'test', 2);
  insert into companies_history values ('AAA', 'Alpha', 'alpha', 'alpha', null, null, null, null, 0, true, 'test', 1, 2);
  insert into tenements values ('T1', 'E1/1', 'WA', null, null, null, null, 'Alpha', 'alpha', '{alpha}', '{AAA}', '0001-01-01', '9999-12-31', 0, 'test', 2);
  insert into tenements_history values ('T1', 'E1/1', 'NT', null, null, null, null, null, null, '{}', '{}', null, null, null, 'test', 1, 2);
  insert into subsidiaries values ('s-1', 'Beta', 'beta', 'beta', 'AAA', null, 100, 'test', 2);
  insert into subsidiaries_history values ('s-1', 'Beta', 'beta', 'beta', 'AAA', 'Chile', 0, 'test', 1, 2);
  insert into reports values ('a1', 'AAA', 'Title', 'title', null, '{}', '9999-12-31T23:59:59Z', null, 'test', 2);
  insert into reports_history values ('a1', 'AAA', 'Title', 'title', null, '{}', '0001-01-01T00:00:00Z', null, 'test', 1, 2);
  insert into accounts (id, email, email_folded, plan, request_limit) values
    (1, 'standard@example.com', 'standard@example.com', 'standard', null),
    (2, 'enterprise@example.com', 'enterprise@example.com', 'enterprise', 7),
    (3, 'admin@example.com', 'admin@example.com', 'admin', null);
  insert into tokens (account_id, name, sha256, prefix) values (1, 'job', '${hash}', 'mds_1a2b3c4d');
  insert into usage_hours values (1, '2026-01-01T03:00:00Z', 5);`

const dump = async (sql: postgres.Sql, tables: string[]) =>
  Promise.all(
    tables.map(
      async (table): Promise<[string, postgres.Row[]]> => [
        table,
        await sql.unsafe(
          `select regexp_replace(t::text, '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'UUID') as t from ${table} t order by 1`,
        ),
      ],
    ),
  )

test("a database of the version before keeps its rows", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql.unsafe(rowsOfBefore)
  await sql`insert into held_releases values ('process', 1, '2026-01-02')`
  const tables = (
    await sql`select tablename::text as name from pg_tables where schemaname = 'public'`
  )
    .map(({ name }) => name)
    .sort()
  const before = await dump(sql, tables)
  expect(before.filter(([, rows]) => rows.length === 0)).toEqual([])
  const currentName = (table: string) => (table === "held_releases" ? "pinned_releases" : table)
  /** What the rows of before have in the columns that are new. */
  const newColumns: Record<string, string> = {
    // Each release can be read, and has an identity.
    releases: ",f,UUID",
    // No token is marked for spreadsheets, made with a form or replaced.
    tokens: ",f,,",
  }
  const withNewColumns = (table: string, { t }: postgres.Row) => ({
    t: t.replace(/\)$/, `${newColumns[table] ?? ""})`),
  })
  const expected: typeof before = before.map(([table, rows]) => [
    currentName(table),
    rows.map((row) => withNewColumns(table, row)),
  ])
  await migrate(url)
  expect(await dump(sql, tables.map(currentName))).toEqual(expected)
  await migrate(url)
  expect(await dump(sql, tables.map(currentName))).toEqual(expected)
})

test("what was counted by hour before days were kept counts for its day (UTC)", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql.unsafe(rowsOfBefore)
  await sql`insert into usage_hours values
    (1, '2026-01-01T23:00:00Z', 2), (1, '2026-01-02T00:00:00Z', 3), (2, '2026-01-01T05:00:00+10', 4)`
  await migrate(url)
  const days = await sql`select account_id::int, token_id::int, day::text, requests::int
    from usage_days order by account_id, day`
  expect(days.map((each) => Object.values(each))).toEqual([
    [1, 0, "2026-01-01", 7],
    [1, 0, "2026-01-02", 3],
    [2, 0, "2025-12-31", 4],
  ])
})

test("the table that pins releases leaves nothing of its old name behind", async () => {
  const { sql } = await open(testDatabase())
  const left = await sql`
    select conname from pg_constraint where conname like 'held%'
    union all select relname from pg_class where relname like 'held%'`
  expect([...left]).toEqual([])
})

test("while the checks wait for a table of data, tokens and the newest release are still read", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql.unsafe(rowsOfBefore)
  const session = postgres(url, { max: 1, onnotice: () => {} })
  const released = Promise.withResolvers<void>()
  const reading = session.begin(async (tx) => {
    // The last of the tables by name, of those that are large.
    await tx`select from tenements_history`
    await released.promise
  })
  const migrating = migrate(url)
  await until(async () => {
    const waiting = await sql`select from pg_locks
      where not granted and relation = 'tenements_history'::regclass`
    return waiting.length > 0
  })
  const read = sql.begin(async (tx) => {
    await tx`set local lock_timeout = '1s'`
    await tx`select from tokens join accounts on accounts.id = tokens.account_id`
    await tx`select max(id) from releases`
  })
  const outcome = await read.catch((error: unknown) => error)
  released.resolve()
  await Promise.all([reading, migrating])
  await session.end()
  expect(outcome).not.toBeInstanceOf(Error)
})

test("while the tables of signing in wait for a change of an account, tokens are still read and written", async () => {
  const { sql, url } = await databaseBeforeSignIn()
  await sql`insert into accounts (id, email, email_folded, plan) values (1, 'a@b', 'a@b', 'standard')`
  await sql`insert into tokens (account_id, name, sha256, prefix) values (1, 'job', ${hash}, 'mds_1a2b3c4d')`
  const session = postgres(url, { max: 1, onnotice: () => {} })
  const changed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const changing = session.begin(async (tx) => {
    await tx`update accounts set email = 'c@b' where id = 1`
    changed.resolve()
    await released.promise
  })
  await changed.promise
  const migrating = migrate(url)
  await until(async () => {
    const waiting = await sql`select from pg_locks
      where not granted and relation = 'accounts'::regclass`
    return waiting.length > 0
  })
  const use = sql.begin(async (tx) => {
    await tx`set local lock_timeout = '1s'`
    await tx`select from tokens join accounts on accounts.id = tokens.account_id`
    await tx`update tokens set last_used_at = now()`
    await tx`insert into usage_hours (account_id, hour, requests) values (1, '2026-01-01T03:00Z', 1)`
  })
  const outcome = await use.catch((error: unknown) => error)
  released.resolve()
  await Promise.all([changing, migrating])
  await session.end()
  expect(outcome).not.toBeInstanceOf(Error)
})

test("processes of the version before counting by token go on counting, and both versions read the sum", async () => {
  const { sql, url } = await databaseBeforeSignIn()
  await sql`insert into accounts (id, email, email_folded, plan) values (1, 'a@b', 'a@b', 'standard')`
  /** Its statement for 5 requests at 3:00, and the one for reading them. */
  const countAsBefore = () => sql`insert into usage_hours (account_id, hour, requests)
    select account_id, hour, requests
    from jsonb_to_recordset('[{"account_id": 1, "hour": "2026-01-01T03:00:00Z", "requests": 5}]'::jsonb)
      as t(account_id bigint, hour timestamptz, requests bigint)
    where exists (select 1 from accounts where accounts.id = t.account_id)
    on conflict (account_id, hour) do update set requests = usage_hours.requests + excluded.requests`
  const readAsBefore = async () =>
    (
      await sql`select account_id::int, (extract(epoch from hour) * 1000)::float8 as hour_ms, requests::int
        from usage_hours where account_id in (1) and hour >= '2026-01-01T00:00:00Z'`
    ).map((row) => ({ ...row }))
  await countAsBefore()
  await migrate(url)
  await countAsBefore()
  const hourMs = Date.parse("2026-01-01T03:00:00Z")
  const { db, close } = createPool(url, {
    name: "test",
    connections: 1,
    queueLength: 0,
    statementTimeoutMs: 10_000,
  })
  await addCounts(db, [
    { accountId: 1, tokenId: 7, hourMs, requests: 3 },
    { accountId: 1, tokenId: 0, hourMs, requests: 1 },
  ])
  await countAsBefore()
  expect(await readAsBefore()).toEqual([{ account_id: 1, hour_ms: hourMs, requests: 19 }])
  expect((await readHours(db, [1], hourMs)).get(1)).toEqual(new Map([[hourMs, 19]]))
  const { hours } = await readUsage(db, 1, { firstHourMs: hourMs, firstDayMs: hourMs })
  await close()
  expect(hours.requests).toEqual(new Map([[hourMs, 19]]))
  expect(hours.byToken).toEqual(
    new Map([
      [0, 16],
      [7, 3],
    ]),
  )
})

test("accounts whose limit does not fit their plan keep the limit in effect, and the audit log records it", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql`
    insert into accounts (id, email, email_folded, plan, request_limit)
    select id, id || '@example.com', id || '@example.com', plan, request_limit
    from (values (1, 'standard', 5), (2, 'enterprise', null), (3, 'enterprise', 0), (4, 'admin', 9),
      (5, ' Admin', null), (6, 'gold', 50), (7, 'Enterprise', 2147483647), (8, 'standard', null)
    ) as t (id, plan, request_limit)`
  await migrate(url)
  const accounts = await sql`select id::int, plan, request_limit from accounts order by id`
  expect(accounts.map((each) => Object.values(each))).toEqual([
    [1, "standard", null],
    [2, "enterprise", 1000],
    [3, "enterprise", 1],
    [4, "admin", null],
    [5, "admin", null],
    [6, "standard", null],
    [7, "enterprise", 2_147_483_646],
    [8, "standard", null],
  ])
  const changes = await sql`
    select distinct account_id::int as id, who from access_changes where action = 'changed' order by 1`
  expect(changes.map(({ id, who }) => `${id} ${who}`)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((id) => `${id} migration 0003`),
  )
})

test("a row that only a person can correct stops the migration, which changes nothing", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql.unsafe(rowsOfBefore)
  await sql`update tenements set state = 'Western Australia'`
  await sql`update accounts set request_limit = 5 where id = 1`
  await expect(migrate(url)).rejects.toMatchObject({
    message: expect.stringContaining('"tenements_state"'),
  })
  expect([...(await sql`select request_limit from accounts where id = 1`)]).toEqual([
    { request_limit: 5 },
  ])
  await sql`update tenements set state = 'WA'`
  await migrate(url)
})

const refusals = [
  ["accounts_plan", "update accounts set plan = 'gold', request_limit = null"],
  ["accounts_request_limit", "update accounts set plan = 'enterprise' where id = 1"],
  ["accounts_request_limit", "update accounts set request_limit = 5 where id = 1"],
  ["accounts_request_limit", "update accounts set request_limit = null where id = 2"],
  ["accounts_request_limit", "update accounts set request_limit = 0 where id = 2"],
  ["accounts_request_limit", "update accounts set plan = 'admin' where id = 2"],
  ["accounts_email", "update accounts set email = 'nobody' where id = 1"],
  ["tokens_sha256", "update tokens set sha256 = 'mds_1a2b3c4d'"],
  ["tokens_prefix", "update tokens set prefix = 'mds_'"],
  ["tokens_name", "update tokens set name = ' '"],
  ["access_changes_action", "update access_changes set action = 'seen'"],
  ["access_changes_columns", "update access_changes set columns = '[]'"],
  ["usage_hours_requests", "update usage_hours set requests = -1"],
  ["usage_hours_hour", "update usage_hours set hour = hour + interval '1 minute'"],
  ["usage_days_requests", "insert into usage_days values (1, 0, '2026-01-01', -1)"],
  ["releases_id", "insert into releases values (0, now(), 'test', '{}')"],
  ["releases_manifest", "update releases set manifest = 'null'"],
  ["releases_published_at", "update releases set published_at = 'infinity'"],
  ["companies_asx_code", "update companies set asx_code = 'aaa'"],
  ["companies_market_cap_aud", "update companies set market_cap_aud = 9007199254740992"],
  ["companies_total_tenements", "update companies set total_tenements = -1"],
  ["tenements_id", "update tenements set id = 'E1/1'"],
  ["tenements_state", "update tenements set state = 'wa'"],
  ["tenements_grant_date", "update tenements set grant_date = 'infinity'"],
  ["tenements_expiry_date", "update tenements set expiry_date = '10000-01-01'"],
  ["tenements_area_km2", "update tenements set area_km2 = 'NaN'"],
  ["tenements_area_km2", "update tenements set area_km2 = -1"],
  ["tenements_history_state", "update tenements_history set state = 'ACT'"],
  ["tenements_history_until_release", "update tenements_history set until_release = since_release"],
  ["subsidiaries_ownership_percentage", "update subsidiaries set ownership_percentage = 100.5"],
  ["subsidiaries_parent_asx_code", "update subsidiaries set parent_asx_code = ''"],
  ["load_totals_outcome", "insert into load_totals values ('wa', 'tenements', 'lost', 1, 1)"],
  ["load_totals_loads", "insert into load_totals values ('wa', 'tenements', 'failed', 0, 1)"],
  ["load_totals_seconds", "insert into load_totals values ('wa', 'tenements', 'failed', 1, 'NaN')"],
  ["load_totals_seconds", "insert into load_totals values ('wa', 'tenements', 'failed', 1, -1)"],
  ["reports_hash", "update reports set hash = 'a b'"],
  ["reports_published_at", "update reports set published_at = '10000-01-01T00:00:00Z'"],
]

describe("a database with rows in all tables", () => {
  let database: TestDatabase
  let sql: postgres.Sql

  beforeAll(async () => {
    database = await testDatabase()
    sql = postgres(database.url, { max: 1, onnotice: () => {} })
    await sql.unsafe(rowsOfBefore)
  })

  afterAll(async () => {
    await sql.end({ timeout: 1 })
    await database.drop()
  })

  test.each(refusals)("%s refuses: %s", async (constraint, statement) => {
    const accepted = new Error("It was accepted")
    // Rolled back even where it is accepted, so that each finds the same rows.
    const refusal = sql.begin(async (tx) => {
      await tx.unsafe(statement)
      throw accepted
    })
    await expect(refusal).rejects.toMatchObject({ code: "23514", constraint_name: constraint })
  })
})

test("the former names of companies are those that the history still has", async () => {
  const { sql, url } = await databaseBeforeChecks()
  await sql.unsafe(`
    insert into releases select id, ('2026-01-01'::date + id) + case when id > 4 then interval '3 years' else '0' end, 'test', '{}'
      from generate_series(1, 6) id;
    insert into companies select code, 'Now ' || code, '', 'NOW ' || code, null, null, null, null, 0, true, 'test', since
      from (values ('AAA', 3), ('BBB', 4), ('CCC', 5), ('DDD', 6), ('EEE', 6), ('FFF', 4)) c (code, since);
    insert into companies_history
      select code, name, '', key, null, null, null, null, 0, is_active, 'test', since, until from (values
        -- Renamed twice, between changes of other fields.
        ('AAA', 'One', 'ONE', true, 1, 2), ('AAA', 'Two', 'TWO', true, 2, 3),
        -- Another company took over the code.
        ('BBB', 'First', 'FIRST', true, 1, 2), ('BBB', 'Gone', 'GONE', true, 2, 3), ('BBB', 'Gone', 'GONE', false, 3, 4),
        -- Three years between the loads.
        ('CCC', 'Long Ago', 'LONG AGO', true, 1, 5),
        -- Only spelt in another way.
        ('DDD', 'NOW, DDD', 'NOW DDD', true, 5, 6),
        -- Removed, and another of that code added later.
        ('EEE', 'Removed', 'REMOVED', true, 1, 2),
        ('FFF', '...', '', true, 1, 4)) h (code, name, key, is_active, since, until)`)
  await migrate(url)
  const names = await sql`select asx_code, name, until_release, is_certain from former_names
    order by asx_code, until_release`
  expect(names.map((each) => Object.values(each))).toEqual([
    ["AAA", "One", 2, true],
    ["AAA", "Two", 3, true],
    ["BBB", "First", 2, false],
    ["BBB", "Gone", 4, false],
    ["CCC", "Long Ago", 5, false],
  ])
})

test("sources of before are numbered in the order in which they were first loaded, and new ones follow", async () => {
  const { sql, url } = await databaseAfter(14)
  await sql.unsafe(`
    insert into releases (id, published_at, source, manifest) values
      (1, '2026-01-01', 'wa', '{"resources": {"tenements": {}}}'),
      (2, '2026-01-02', 'sample', '{"resources": {"reports": {}, "companies": {}}}'),
      (3, '2026-01-03', 'nt', '{"resources": {"tenements": {}}}');
    insert into sources (name, resource, last_loaded_at, last_outcome, last_reason, last_release)
      select name, resource, '2026-02-01', case when release is null then 'refused' else 'published' end,
        case when release is null then 'too few' end, release
      from (values ('tas', 'tenements', null), ('sa', 'tenements', null), ('nt', 'tenements', 3),
        ('sample', 'reports', 2), ('wa', 'tenements', 9), ('sample', 'companies', 2),
        -- Its first release is no longer listed.
        ('qld', 'tenements', 2)) s (name, resource, release)`)
  await migrate(url)
  await sql`insert into sources (name, resource, last_outcome) values ('act', 'tenements', 'unchanged')`
  const numbered = await sql`select number, name, resource from sources order by number`
  expect(numbered.map(({ number, name, resource }) => `${number} ${name} ${resource}`)).toEqual([
    "1 wa tenements",
    "2 qld tenements",
    "3 sample companies",
    "4 sample reports",
    "5 nt tenements",
    "6 sa tenements",
    "7 tas tenements",
    "8 act tenements",
  ])
})

test("the first source of a database without any has the number 1", async () => {
  const { sql } = await open(testDatabase())
  const [first] = await sql`insert into sources (name, resource, last_outcome)
    values ('act', 'tenements', 'unchanged') returning number`
  expect(first?.number).toBe(1)
})

test("roles may do with the totals of loads what they may do with their outcomes", async () => {
  const { sql, url } = await databaseAfter(18)
  const id = crypto.randomUUID().slice(0, 8)
  const [reader, loader, owner, stranger] = [`a "reader" ${id}`, `b${id}`, `c${id}`, `d${id}`]
  const roles = [reader, loader, owner, stranger]
  for (const role of roles) await sql`create role ${sql(role)}`
  try {
    await sql`alter table sources owner to ${sql(owner)}`
    await sql`grant select on all tables in schema public to ${sql(reader)} with grant option`
    await sql`grant select, insert, update on sources to ${sql(loader)}`
    await sql`grant all on companies to ${sql(stranger)}`
    await migrate(url)
    const granted = await sql<{ text: string }[]>`
      select grantee || ' ' || lower(string_agg(privilege_type, ' ' order by privilege_type))
        || case is_grantable when 'YES' then ', with grant option' else '' end as text
      from information_schema.role_table_grants
      where table_name = 'load_totals' and grantee <> current_user
      group by grantee, is_grantable order by grantee`
    expect(granted.map(({ text }) => text)).toEqual([
      `${reader} select, with grant option`,
      `${loader} insert select update`,
      `${owner} delete insert references select trigger truncate update`,
    ])
  } finally {
    for (const role of roles) {
      await sql`drop owned by ${sql(role)} cascade`
      await sql`drop role ${sql(role)}`
    }
  }
})

/** A backup has everything, and a restore makes it again, with pg_dump and pg_restore as well. */
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { openSync, readdirSync, statSync } from "node:fs"
import postgres from "postgres"
import { applyMigrations, programMigrations } from "../../src/db/migrate.ts"
import { emptyDatabase, type TestDatabase, testDatabase } from "../support/postgres.ts"
import { type TestService, testService } from "../support/service.ts"
import {
  clientProgram,
  reportIfWithoutPostgres,
  type SystemPostgres,
  systemPostgres,
  systemPostgresIsInstalled,
} from "../support/system-postgres.ts"
import { commandsIn, contentsOf, schemaOf } from "./databases.ts"

setDefaultTimeout(60_000)
reportIfWithoutPostgres(import.meta.path)

let service: TestService
let source: string
const { directory, path, mds, remove } = commandsIn()
let others: TestDatabase[] = []

beforeAll(async () => {
  service = await testService()
  source = service.database.url
  // What COPY has to escape, and what only looks as if.
  await service.sql`update companies set company_name = ${'tab\t, "quote", back\\slash, \\N, \\., €\r\nsecond line'}
    where asx_code = (select min(asx_code) from companies)`
  await service.sql`insert into reports (hash, asx_code, title, title_folded, types_folded, published_at, source, since_release)
    values ('escaped', 'AAA', ${"\\."}, ${"\\\\n"}, ${["a\\b", '"c", {d}', "", "null"]}, '2020-02-29T23:59:59Z', 'test', 1)`
  await service.sql`insert into load_totals values ('test', 'reports', 'published', 9007199254740993, 0.1)`
  await service.issue("person@example.com")
  await service.publish((await import("../support/fixtures.ts")).awkward)
})

afterAll(async () => {
  await service.stop()
  remove()
})

afterEach(async () => {
  await Promise.all(others.map((each) => each.drop()))
  others = []
})

const databaseOf = (url: string): string => new URL(url).pathname.slice(1)

async function other(making: Promise<TestDatabase>): Promise<string> {
  const database = await making
  others.push(database)
  return database.url
}

test("a backup restored into an empty database has everything that was backed up", async () => {
  const made = await mds(source, ["backup", path("one.dump")])
  expect(made).toMatchObject({ code: 0, stdout: "" })
  expect(made.stderr).toMatch(
    /^Backed up release 2: \d+ rows of \d+ tables, [\d,]+ bytes, schema version \d+\n$/,
  )
  expect(statSync(path("one.dump")).mode & 0o777).toBe(0o600)
  expect(readdirSync(directory)).toEqual(["one.dump"])

  const target = await other(emptyDatabase())
  const restored = await mds(target, ["restore", path("one.dump")])
  expect(restored.stderr).toContain("Restored release 2, of the backup made at ")
  expect(restored.code).toBe(0)
  expect(await contentsOf(target)).toEqual(await contentsOf(source))
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
})

test("a backup goes through a pipe, and the database's data are replaced only when asked", async () => {
  const target = await other(testDatabase())
  const { stdout, code } = await mds(source, ["backup", "-"], {
    stdout: openSync(path("piped"), "w"),
  })
  expect([code, stdout]).toEqual([0, ""])
  const piped = () => ({ stdin: Bun.file(path("piped")) })
  expect((await mds(target, ["restore", "-"], piped())).code).toBe(0)
  expect(await contentsOf(target)).toEqual(await contentsOf(source))

  const before = await contentsOf(target)
  const again = await mds(target, ["restore", "-"], piped())
  expect(again.stderr).toMatch(
    /^Cannot restore .*: the database has data already, in \w+; add --replace to replace all of it. Nothing was changed\n$/,
  )
  expect(again.code).toBe(1)
  expect(await contentsOf(target)).toEqual(before)
  expect((await mds(target, ["restore", "-", "--replace"], piped())).code).toBe(0)
  expect(await contentsOf(target)).toEqual(before)
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
})

test("a backup of an older schema is made before the upgrade, and migrated when it is restored", async () => {
  const [older, target] = [await other(emptyDatabase()), await other(testDatabase())]
  const migrations = programMigrations()
  const sql = postgres(older, { max: 1, onnotice: () => {} })
  await sql.begin(async (tx) => {
    await applyMigrations(tx, migrations.slice(0, 2))
    await tx`create schema drizzle`
    await tx`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`
    for (const { hash, folderMillis } of migrations.slice(0, 2)) {
      await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`
    }
    await tx`insert into accounts (email, email_folded, plan) values ('x@example.com', 'x@example.com', 'Admin')`
    await tx`insert into releases (id, published_at, source, manifest) values (1, '2020-01-01T00:00:00Z', 'test', '{}')`
    await tx`insert into held_releases (process, release, seen_at) values ('p', 1, now())`
  })
  await sql.end()
  expect((await mds(older, ["backup", path("older-schema.dump")])).stderr).toContain(
    "schema version 2\n",
  )
  const restored = await mds(target, ["restore", path("older-schema.dump")])
  expect(restored).toMatchObject({ code: 0 })
  expect(restored.stderr).toContain(`Migrating from schema version 2 to ${migrations.length}`)
  expect(await schemaOf(target)).toEqual(await schemaOf(source))
  const found = postgres(target, { max: 1 })
  try {
    // As migration 0003 corrects it, and audits that.
    expect([...(await found`select email, plan from accounts`)]).toEqual([
      { email: "x@example.com", plan: "admin" },
    ])
    expect([...(await found`select process, release from pinned_releases`)]).toEqual([
      { process: "p", release: 1 },
    ])
    expect([...(await found`select who, action from access_changes`)]).toEqual([
      { who: "migration 0003", action: "changed" },
    ])
  } finally {
    await found.end()
  }
})

test("an existing file is replaced only when asked", async () => {
  await Bun.write(path("mine"), "mine")
  expect(await mds(source, ["backup", path("mine")])).toEqual({
    code: 1,
    stdout: "",
    stderr: `${path("mine")} exists; add --force to replace it\n`,
  })
  expect(await Bun.file(path("mine")).text()).toBe("mine")
  expect((await mds(source, ["backup", path("mine"), "--force"])).code).toBe(0)
  expect(await Bun.file(path("mine")).slice(0, 5).text()).toBe("PGDMP")
})

test("roles keep their privileges on what a restore replaces", async () => {
  const target = await other(testDatabase())
  const sql = postgres(target, { max: 1, onnotice: () => {} })
  const role = `reader_${crypto.randomUUID().replaceAll("-", "")}`
  await sql`create role ${sql(role)}`
  try {
    await sql`grant select on all tables in schema public to ${sql(role)}`
    await sql`grant update on accounts to ${sql(role)} with grant option`
    const granted = () => sql`select table_name, privilege_type, is_grantable
      from information_schema.role_table_grants where grantee = ${role} order by 1, 2`
    const before = [...(await granted())]
    expect(before.length).toBeGreaterThan(10)
    expect((await mds(source, ["backup", path("granted.dump")])).code).toBe(0)
    expect((await mds(target, ["restore", path("granted.dump")])).code).toBe(0)
    expect([...(await granted())]).toEqual(before)
  } finally {
    await sql`drop owned by ${sql(role)}`
    await sql`drop role ${sql(role)}`
    await sql.end({ timeout: 1 })
  }
})

describe.skipIf(!systemPostgresIsInstalled)("with the programs of an older PostgreSQL", () => {
  let older: SystemPostgres

  beforeAll(async () => {
    older = await systemPostgres()
  })

  afterAll(() => older.stop())

  test("pg_restore reads a backup, from a file and from a pipe", async () => {
    expect((await mds(source, ["backup", path("ours.dump")])).code).toBe(0)
    const listed = await clientProgram("pg_restore", source, ["--list", path("ours.dump")])
    expect(listed).toContain("TABLE DATA public tenements")
    const target = await other(emptyDatabase())
    await clientProgram("pg_restore", target, [
      "--exit-on-error",
      "-d",
      databaseOf(target),
      path("ours.dump"),
    ])
    expect(await contentsOf(target)).toEqual(await contentsOf(source))
    expect(await schemaOf(target)).toEqual(await schemaOf(source))

    const piped = await older.database("piped")
    const { exitCode, stderr } = Bun.spawnSync(
      [
        "/bin/sh",
        "-c",
        'cat "$0" | pg_restore --exit-on-error --single-transaction -d "$1"',
        path("ours.dump"),
        piped,
      ],
      { env: { PATH: process.env.PATH } },
    )
    expect([exitCode, stderr.toString()]).toEqual([0, ""])
    expect(await contentsOf(piped)).toEqual(await contentsOf(source))
  })

  test("a backup of the embedded server is restored into the older one, and back", async () => {
    expect((await mds(source, ["backup", path("newer.dump")])).code).toBe(0)
    const target = await older.database("restored")
    expect((await mds(target, ["restore", path("newer.dump")])).code).toBe(0)
    expect(await contentsOf(target)).toEqual(await contentsOf(source))
    expect((await mds(target, ["backup", path("older.dump")])).code).toBe(0)
    const back = await other(emptyDatabase())
    expect((await mds(back, ["restore", path("older.dump")])).code).toBe(0)
    expect(await contentsOf(back)).toEqual(await contentsOf(source))
    expect(await schemaOf(back)).toEqual(await schemaOf(source))
  })

  test.each(["gzip", "none"])(
    "what pg_dump writes is restored, compressed with %s",
    async (compression) => {
      const theirs = await older.database(`dumped_${compression}`)
      expect((await mds(source, ["backup", path(`base-${compression}.dump`)])).code).toBe(0)
      expect((await mds(theirs, ["restore", path(`base-${compression}.dump`)])).code).toBe(0)
      const sql = postgres(theirs, { max: 1, onnotice: () => {} })
      await sql`create table of_another_service as select 7 as x`
      await sql.end()
      const file = path(`pg_dump-${compression}`)
      const level = compression === "none" ? 0 : 6
      await clientProgram("pg_dump", theirs, [
        "--format=custom",
        `--compress=${level}`,
        `--file=${file}`,
      ])

      const target = await other(emptyDatabase())
      const restored = await mds(target, ["restore", file])
      expect(restored.stderr).toContain(
        "Left out, as they are not the service's: of_another_service\n",
      )
      expect(restored.stderr).toContain("The file has no checksum, as pg_dump writes none")
      expect(await contentsOf(target)).toEqual(await contentsOf(source))
      expect(await schemaOf(target)).toEqual(await schemaOf(source))
    },
  )
})

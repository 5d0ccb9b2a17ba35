/** Sources that were loaded before there was a table of them are in it after the migration. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { join } from "node:path"
import postgres from "postgres"
import { sourceStatuses } from "../../src/db/source-status.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

let database: TestDatabase
let sql: postgres.Sql
beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1 })
})
afterAll(async () => {
  await sql.end({ timeout: 1 })
  await database.drop()
})

const migration = join(import.meta.dir, "../../drizzle/0010_sources.sql")

test("each has its newest release; when its files were true is not known", async () => {
  await sql`insert into releases (id, published_at, source, manifest) values
    (1, '2025-01-01Z', 'wa', '{"resources": {"tenements": {}}}'),
    (2, '2025-02-01Z', 'sample', '{"resources": {"companies": {}, "reports": {}}}'),
    (3, '2025-03-01Z', 'wa', '{"resources": {"tenements": {}}}'),
    (4, '2025-04-01Z', 'test', '{}'), (5, '2025-04-01Z', 'test', '{"resources": 5}')`
  const statements = (await Bun.file(migration).text()).split("--> statement-breakpoint")
  await sql.unsafe(statements.at(-1) ?? "")
  const status = (name: string, resource: string, release: number, time: string) => ({
    name,
    resource,
    records: 0,
    missing: 0,
    linked: resource === "tenements" ? 0 : null,
    licence: null,
    attribution: null,
    address: null,
    last_fetched_at: null,
    last_attempted_at: null,
    last_loaded_at: time,
    last_outcome: "published",
    last_reason: null,
    last_observed_at: null,
    last_release: release,
    last_changed_at: time,
    counts: {},
  })
  expect<unknown>(await sourceStatuses(sql)).toEqual([
    status("sample", "companies", 2, "2025-02-01T00:00:00Z"),
    status("sample", "reports", 2, "2025-02-01T00:00:00Z"),
    status("wa", "tenements", 3, "2025-03-01T00:00:00Z"),
  ])
})

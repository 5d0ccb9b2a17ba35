/** What is backed up is what the migrations have made, at each version of the schema. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import postgres from "postgres"
import { tablesAfter } from "../../src/backup/tables.ts"
import { applyMigrations, programMigrations } from "../../src/db/migrate.ts"
import { emptyDatabase, type TestDatabase } from "../support/postgres.ts"

setDefaultTimeout(60_000)

let database: TestDatabase
let sql: postgres.Sql

beforeAll(async () => {
  database = await emptyDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
})

afterAll(async () => {
  await sql.end()
  await database.drop()
})

test("the tables of every version of the schema are known by its migrations", async () => {
  const migrations = programMigrations()
  for (const [index, migration] of migrations.entries()) {
    await sql.begin((tx) => applyMigrations(tx, [migration]))
    const rows = await sql`select tablename from pg_tables where schemaname = 'public' order by 1`
    const there = rows.map(({ tablename }) => tablename)
    expect([index + 1, tablesAfter(migrations.slice(0, index + 1))]).toEqual([index + 1, there])
  }
})

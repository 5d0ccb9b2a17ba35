/** The database itself refuses keys that a path would have to encode, at a small cost for each row. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
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

test.each([
  ["tenements", "id"],
  ["tenements_history", "id"],
  ["subsidiaries", "id"],
  ["subsidiaries_history", "id"],
  ["reports", "hash"],
  ["reports_history", "hash"],
])("%s.%s has 1 to 100 characters that no path encodes", async (table, column) => {
  const [found] = await sql`select pg_get_constraintdef(oid) as definition, convalidated
    from pg_constraint where conname = ${`${table}_${column}`}`
  expect(found).toMatchObject({ convalidated: true })
  const condition: string = found?.definition.replace(/^CHECK /, "")
  const isAllowed = async (key: string) => {
    const row = `(select $1::text collate "C" as ${column}) as ${table}`
    return (await sql.unsafe(`select ${condition} as allowed from ${row}`, [key]))[0]?.allowed
  }
  for (const key of ["a", "WA-E_70.1~x", "9".repeat(100)]) {
    expect([key, await isAllowed(key)]).toEqual([key, true])
  }
  for (const key of ["", "9".repeat(101), "a b", "a/b", "a\n", "\na", "a\nb", "é", "a%20b"]) {
    expect([key, await isAllowed(key)]).toEqual([key, false])
  }
  // Where a pattern counts repetitions, it takes PostgreSQL seven times as long.
  expect(condition).not.toContain("{")
})

/** Reading every nth row ends in time, however slow the query. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { sql } from "drizzle-orm"
import { createPool, type Pool } from "../../../src/db/pool/pool.ts"
import { everyNth } from "../../../src/db/reader/every-nth.ts"
import { type TestDatabase, testDatabase } from "../../support/postgres.ts"

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool(database.url, {
    name: "every nth test",
    connections: 2,
    statementTimeoutMs: 1_000,
  })
})

afterAll(async () => {
  await pool.close()
  await database.drop()
})

test("a step that takes longer than the budget ends it, and what was read is kept", async () => {
  const sleepy = sql`select g, case when g > 25 then pg_sleep(60) end from generate_series(1, 100) g`
  const steps = { n: 10, count: 10, budgetMs: 2_000 }
  const found = await everyNth(pool.db, sleepy, {}, steps)
  expect(found.map(([number]) => number)).toEqual([10, 20])
  const numbers = sql`select g from generate_series(1, 100) g`
  expect(await everyNth(pool.db, numbers, {}, { ...steps, count: 1 })).toEqual([[10]])
})

test("no step begins after the budget", async () => {
  const slow = sql`select g, pg_sleep(0.01) from generate_series(1, 1000) g`
  const found = await everyNth(pool.db, slow, {}, { n: 10, count: 100, budgetMs: 300 })
  expect(found.length).toBeWithin(1, 100)
})

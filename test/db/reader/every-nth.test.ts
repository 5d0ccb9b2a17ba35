/** Reading every nth row ends in time, however slow the query, and leaves other statements alone. */
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

const numbers = sql`select g from generate_series(1, 100) g`

test("it reads no further than asked, nor than the end", async () => {
  const read = (n: number, count: number) =>
    everyNth(pool.db, numbers, {}, { n, count, budgetMs: 60_000 })
  expect(await read(10, 3)).toEqual([[10], [20], [30]])
  expect(await read(40, 3)).toEqual([[40], [80]])
  expect(await read(101, 3)).toEqual([])
})

test("it begins no step after its budget, and keeps what was read", async () => {
  let time = 0
  // What is left of the budget also limits the statement, so it is seconds: none takes so long.
  const now = () => (time += 10_000)
  const steps = { n: 5, count: 20, budgetMs: 1_000_000 }
  expect(await everyNth(pool.db, numbers, {}, steps, now)).toHaveLength(20)
  expect(await everyNth(pool.db, numbers, {}, { ...steps, budgetMs: 35_000 }, now)).toHaveLength(4)
})

test("a step that takes longer than the budget ends it, and what was read is kept", async () => {
  const sleepy = sql`select g, case when g > 25 then pg_sleep(60) end from generate_series(1, 100) g`
  const steps = { n: 10, count: 10, budgetMs: 2_000 }
  const found = await everyNth(pool.db, sleepy, {}, steps)
  expect(found.map(([number]) => number)).toEqual([10, 20])
  expect(await everyNth(pool.db, numbers, {}, { ...steps, count: 1 })).toEqual([[10]])
})

test("any other failure is reported", async () => {
  const failing = sql`select 1 / (15 - g) from generate_series(1, 100) g`
  const read = everyNth(pool.db, failing, {}, { n: 10, count: 10, budgetMs: 60_000 })
  await expect(read).rejects.toThrow("division by zero")
})

test("while a slow query is read for one account, the statements of another succeed", async () => {
  const slow = sql`select g, pg_sleep(0.01) from generate_series(1, 1000) g`
  const steps = { n: 10, count: 100, budgetMs: 300 }
  let isOver = false
  const read = pool
    .runAlone(1, (db) => everyNth(db, slow, {}, steps))
    .finally(() => (isOver = true))
  const others = (async () => {
    do await pool.runAlone(2, (db) => db.execute(sql`select pg_sleep(0.5)`))
    while (!isOver)
  })()
  const [found] = await Promise.all([read, others])
  expect(found.length).toBeLessThan(100)
})

import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { pinExpiryMinutes, reportPinnedReleases } from "../../src/db/pinned-releases.ts"
import { createPool, type Pool } from "../../src/db/pool/pool.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"

let database: TestDatabase
let sql: postgres.Sql
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  pool = createPool(database.url, {
    name: "held releases test",
    connections: 1,
    queueLength: 10,
    statementTimeoutMs: 10_000,
  })
})

afterAll(async () => {
  await pool.close()
  await sql.end()
  await database.drop()
})

test("a process says which release it reads, and takes it back when it reads none or stops", async () => {
  const held = async () =>
    (await sql`select release from pinned_releases`).map((row) => row.release)
  const failures: unknown[] = []
  const states: unknown[] = []
  let oldest: number | undefined
  const holding = reportPinnedReleases(
    pool,
    () => oldest,
    (error) => failures.push(error),
  )
  for (oldest of [undefined, 7, 9, undefined, 4]) {
    await holding.report()
    states.push(await held())
  }
  await holding.stop()
  states.push(await held())
  expect(states).toEqual([[], [7], [9], [], [4], []])
  expect(failures).toEqual([])
})

test("what a killed process has left behind is deleted by the next that writes", async () => {
  const seen = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::integer)`
  await sql`insert into pinned_releases values
    ('killed', 3, ${seen(pinExpiryMinutes + 1)}), ('alive', 4, ${seen(pinExpiryMinutes - 1)})`
  const failures: unknown[] = []
  const holding = reportPinnedReleases(
    pool,
    () => 7,
    (error) => failures.push(error),
  )
  const processes = async () =>
    (await sql`select release from pinned_releases order by release`).map(({ release }) => release)
  await holding.report()
  expect(await processes()).toEqual([4, 7])
  await holding.stop()
  expect(await processes()).toEqual([4])
  expect(failures).toEqual([])
})

/** Serving processes pin the releases that they read, and the pins of dead processes expire. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { pinExpiryMinutes, reportPinnedReleases } from "../../src/db/pinned-releases.ts"
import { createPool, type Pool } from "../../src/db/pool/pool.ts"
import { type TestDatabase, testDatabase } from "../support/postgres.ts"
import { until } from "../support/until.ts"

let database: TestDatabase
let sql: postgres.Sql
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => {} })
  pool = createPool(database.url, {
    name: "pinned releases test",
    connections: 1,
    statementTimeoutMs: 10_000,
  })
})

afterAll(async () => {
  await pool.close()
  await sql.end()
  await database.drop()
})

test("a process pins the oldest release that it reads, and unpins it when it reads none or stops", async () => {
  const pinned = async () =>
    (await sql`select release from pinned_releases`).map((row) => row.release)
  const failures: unknown[] = []
  const states: unknown[] = []
  let oldest: number | undefined
  const reports = reportPinnedReleases(
    pool,
    () => oldest,
    (error) => failures.push(error),
  )
  for (oldest of [undefined, 7, 9, undefined, 4]) {
    await reports.report()
    states.push(await pinned())
  }
  await reports.stop()
  states.push(await pinned())
  expect(states).toEqual([[], [7], [9], [], [4], []])
  expect(failures).toEqual([])
})

test("the pin of a killed process is deleted by the next process that writes", async () => {
  const seen = (minutes: number) => sql`now() - make_interval(mins => ${minutes}::integer)`
  await sql`insert into pinned_releases values
    ('killed', 3, ${seen(pinExpiryMinutes + 1)}), ('alive', 4, ${seen(pinExpiryMinutes - 1)})`
  const failures: unknown[] = []
  const reports = reportPinnedReleases(
    pool,
    () => 7,
    (error) => failures.push(error),
  )
  const pinned = async () =>
    (await sql`select release from pinned_releases order by release`).map(({ release }) => release)
  await reports.report()
  expect(await pinned()).toEqual([4, 7])
  await reports.stop()
  expect(await pinned()).toEqual([4])
  expect(failures).toEqual([])
})

test("a release older than the reported one is reported at once, with one write at a time", async () => {
  await sql`delete from pinned_releases`
  const pinned = async () =>
    (await sql`select release from pinned_releases`).map(({ release }) => release)
  const delayed = delayedPool()
  const failures: unknown[] = []
  let writes = 0
  const reading: number[] = []
  const pins = reportPinnedReleases(
    {
      ...delayed.pool,
      runAlone: (...claim) => delayed.pool.runAlone(...claim).finally(() => writes++),
    },
    () => Math.min(...reading),
    (error) => failures.push(error),
  )
  const begin = (release: number) => {
    reading.push(release)
    pins.begun(release)
  }
  begin(7)
  await delayed.started
  for (const release of [8, 6, 7, 4, 5, 4]) begin(release)
  delayed.letGo()
  await until(async () => (await pinned())[0] === 4)
  for (const release of [4, 5, 9]) begin(release)
  await pins.stop()
  // 7, which was under way; 4, for all that began meanwhile; and the removal.
  expect({ writes, pinned: await pinned(), failures }).toEqual({
    writes: 3,
    pinned: [],
    failures: [],
  })
  begin(1)
  expect(await pinned()).toEqual([])
})

test("a report that failed is not repeated for every request", async () => {
  const failures: unknown[] = []
  const failed = Promise.withResolvers<void>()
  const refusing: Pool = { ...pool, runAlone: () => Promise.reject(new Error("read-only")) }
  const pins = reportPinnedReleases(
    refusing,
    () => 7,
    (error) => {
      failures.push(error)
      failed.resolve()
    },
  )
  pins.begun(7)
  await failed.promise
  for (const release of [7, 8, 7]) pins.begun(release)
  await pins.stop()
  // The report, and the removal when it stops.
  expect(failures).toHaveLength(2)
})

/** The pool, with a first statement that reaches the database only when it is let go. */
function delayedPool() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  let isFirst = true
  const runAlone: Pool["runAlone"] = (account, statement) =>
    pool.runAlone(account, async (db) => {
      if (isFirst) {
        isFirst = false
        started.resolve()
        await promise
      }
      return statement(db)
    })
  return { pool: { ...pool, runAlone }, started: started.promise, letGo: resolve }
}

test("a report that is under way when the process stops leaves nothing behind", async () => {
  await sql`delete from pinned_releases`
  const delayed = delayedPool()
  const failures: unknown[] = []
  const pins = reportPinnedReleases(
    delayed.pool,
    () => 7,
    (error) => failures.push(error),
  )
  const report = pins.report()
  await delayed.started
  const stopped = pins.stop()
  delayed.letGo()
  await Promise.all([report, stopped])
  expect(await sql`select release from pinned_releases`).toHaveLength(0)
  expect(failures).toEqual([])
})

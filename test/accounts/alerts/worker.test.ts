/** However often the worker is woken while it works, it looks once more afterwards. */
import { afterAll, expect, test } from "bun:test"
import { startAlerts } from "../../../src/accounts/alerts/worker.ts"
import { createPool } from "../../../src/data/db/pool/pool.ts"
import type { Release } from "../../../src/data/reader/releases.ts"
import { testDatabase } from "../../support/postgres.ts"
import { until } from "../../support/until.ts"

const database = await testDatabase()
const pool = createPool(database.url, { name: "test", connections: 1, statementTimeoutMs: 10_000 })
afterAll(async () => {
  await pool.close()
  await database.drop()
})

/** Wakes a worker a hundred times while it waits for the newest release. */
async function wokenOften(current: Promise<Release>) {
  let looks = 0
  let statements = 0
  const failures: unknown[] = []
  const alerts = startAlerts({
    pool: {
      ...pool,
      runAlone: (account, statement) => {
        statements++
        return pool.runAlone(account, statement)
      },
    },
    releases: {
      current: () => {
        looks++
        return current
      },
    },
    events: { since: async () => null },
    send: () => Promise.reject(new Error("No watch is there")),
    onDisabled: () => {},
    onFailure: (error) => failures.push(error),
    now: () => new Date(),
  })
  await until(() => looks === 1)
  for (let times = 0; times < 100; times++) alerts.wake()
  return { counts: () => ({ looks, statements, failures }), stop: alerts.stop }
}

test("A hundred calls cost the statements of one", async () => {
  const newest = Promise.withResolvers<Release>()
  const { counts, stop } = await wokenOften(newest.promise)
  newest.resolve({ id: 0, publishedAt: 0, identity: "" })
  await until(() => counts().looks === 2 && counts().statements >= 7)
  await stop()
  await pool.runAlone(null, (db) => db.execute("select 1"))
  expect(counts().statements).toBeLessThan(12)
})

test("A failure is told once for a hundred calls", async () => {
  const newest = Promise.withResolvers<Release>()
  const { counts, stop } = await wokenOften(newest.promise)
  newest.reject(new Error("The database is away"))
  await until(() => counts().failures.length > 0)
  await stop()
  expect(counts().failures.length).toBeLessThan(3)
})

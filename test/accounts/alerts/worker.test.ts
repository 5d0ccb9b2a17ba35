/** However often the worker is woken while it works, it looks once more afterwards. */
import { expect, test } from "bun:test"
import { startAlerts } from "../../../src/accounts/alerts/worker.ts"
import { createPool } from "../../../src/data/db/pool/pool.ts"
import type { Release } from "../../../src/data/reader/releases.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"

const { url } = await databaseOfFile()
const pool = createPool(url, { name: "test", connections: 1, statementTimeoutMs: 10_000 })
afterFile(pool.close)

/** Starts a worker, and wakes it a hundred times while it waits for the newest release. */
async function wokenOften(newest: Promise<Release>) {
  const given = { newest }
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
        return given.newest
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
  return { ...alerts, given, counts: () => ({ looks, statements, failures: failures.length }) }
}

const empty = { id: 0, publishedAt: 0, identity: "" }

test("A hundred calls cost the statements of one", async () => {
  const newest = Promise.withResolvers<Release>()
  const { counts, stop } = await wokenOften(newest.promise)
  newest.resolve(empty)
  await until(() => counts().looks === 2 && counts().statements >= 7)
  await stop()
  await pool.runAlone(null, (db) => db.execute("select 1"))
  expect(counts().statements).toBeLessThan(12)
})

test("An outage is told once, however often the worker looks meanwhile, and the next one again", async () => {
  const away = () => Promise.reject(new Error("The database is away"))
  const newest = Promise.withResolvers<Release>()
  const { given, counts, wake, stop } = await wokenOften(newest.promise)
  newest.reject(new Error("The database is away"))
  for (const outage of [1, 2]) {
    given.newest = away()
    for (let looks = 0; looks < 3; looks++) {
      const before = counts().looks
      wake()
      await until(() => counts().looks > before)
    }
    expect(counts().failures).toBe(outage)
    given.newest = Promise.resolve(empty)
    const before = counts().statements
    wake()
    // Its last statement asks when the next watch is due.
    await until(() => counts().statements >= before + 4)
    await pool.runAlone(null, (db) => db.execute("select 1"))
  }
  await stop()
})

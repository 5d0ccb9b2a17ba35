/** The worker looks once more after calls while it works, stores each look at once, and stops without new attempts. */
import { expect, test } from "bun:test"
import { type AlertOptions, startAlerts } from "../../../src/accounts/alerts/worker.ts"
import { createPool, type Pool } from "../../../src/data/db/pool/pool.ts"
import type { Release } from "../../../src/data/reader/releases.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"
import { until } from "../../support/until.ts"

const { url } = await databaseOfFile()
const pool = createPool(url, { name: "test", connections: 1, statementTimeoutMs: 10_000 })
afterFile(pool.close)

const query = (text: string) => pool.runAlone(null, (db) => db.execute(text))

const empty = { id: 0, publishedAt: 0, identity: "" }
const delivered = { status: 204, reason: null, retryAfterMs: null }

/** Starts a worker, by default one that finds nothing new. */
const worker = (options: Partial<AlertOptions>) =>
  startAlerts({
    pool,
    releases: { current: async () => empty },
    events: { since: async () => null },
    send: async () => delivered,
    onDisabled: () => {},
    onFailure: () => {},
    now: () => new Date(),
    ...options,
  })

/** Makes so many watches of every release with one receiver, and none else. */
async function makeWatches(count: number): Promise<void> {
  await query("delete from accounts")
  await query(`with owner as (
      insert into accounts (email, email_folded, plan) values ('a@b', 'a@b', 'standard') returning id)
    insert into watches (account_id, name, subject, channel, host, created_at, covered_release)
    select id, 'All', '{"kind": "releases"}', '{"kind": "mail", "when": "at-once"}', 'mail', now(), 0
    from owner, generate_series(1, ${count})`)
}

/** The number of watches that fulfil a condition. */
const where = async (condition: string) =>
  (await query(`select id from watches where ${condition}`)).length

/** Starts a worker, and wakes it a hundred times while it waits for the newest release. */
async function wokenOften(newest: Promise<Release>) {
  const given = { newest }
  let looks = 0
  let statements = 0
  const failures: unknown[] = []
  const alerts = worker({
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
    onFailure: (error) => failures.push(error),
  })
  await until(() => looks === 1)
  for (let times = 0; times < 100; times++) alerts.wake()
  return { ...alerts, given, counts: () => ({ looks, statements, failures: failures.length }) }
}

test("A hundred calls cost the statements of one", async () => {
  const newest = Promise.withResolvers<Release>()
  const { counts, stop } = await wokenOften(newest.promise)
  newest.resolve(empty)
  await until(() => counts().looks === 2 && counts().statements >= 7)
  await stop()
  await query("select 1")
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
    await query("select 1")
  }
  await stop()
})

test("A slow look at one watch delays the storing of no other, so that slow processes make progress", async () => {
  await makeWatches(3)
  const slow = Promise.withResolvers<null>()
  const looked: number[] = []
  const { stop } = worker({
    releases: { current: async () => ({ ...empty, id: 1, identity: crypto.randomUUID() }) },
    events: {
      since: ({ id }) => {
        looked.push(id)
        return looked.length === 3 ? slow.promise : Promise.resolve(null)
      },
    },
  })
  await until(() => looked.length === 3)
  expect(await where("covered_release = 1")).toBe(2)
  slow.resolve(null)
  await until(async () => (await where("covered_release = 1")) === 3)
  await stop()
})

test("After a stop no attempt begins, and those in progress are completed and stored", async () => {
  await makeWatches(4)
  await query("update watches set is_test_due = true")
  const sent: PromiseWithResolvers<typeof delivered>[] = []
  const send = () => {
    const outcome = Promise.withResolvers<typeof delivered>()
    sent.push(outcome)
    return outcome.promise
  }
  const { stop } = worker({ send })
  await until(() => sent.length === 2)
  const stopped = stop()
  sent[0]?.resolve(delivered)
  await until(async () => (await where("is_test_due")) === 3)
  // Another attempt would begin with the next statements.
  for (let statements = 0; statements < 5; statements++) await query("select 1")
  expect(sent).toHaveLength(2)
  sent[1]?.resolve(delivered)
  await stopped
  expect(await where("is_test_due")).toBe(2)
})

test("A stop waits for the attempt of a watch that a statement in progress takes", async () => {
  await makeWatches(1)
  await query("update watches set is_test_due = true")
  const replied = Promise.withResolvers<void>()
  const slow: Pool = {
    ...pool,
    runAlone: async (account, statement) => {
      const result = await pool.runAlone(account, statement)
      await replied.promise
      return result
    },
  }
  const { stop } = worker({ pool: slow })
  await until(async () => (await where("leased_until is not null")) === 1)
  const stopped = stop()
  replied.resolve()
  await stopped
  expect(await where("is_test_due or leased_until is not null")).toBe(0)
})

/** The usage shown to an account is exact, and counts nothing twice when writes fail. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { createUsage, type Usage } from "../../../src/accounts/access/usage.ts"
import type { Pool } from "../../../src/data/db/pool/pool.ts"
import { Unavailable } from "../../../src/data/db/pool/unavailable.ts"
import { until } from "../../support/until.ts"
import { registry } from "./registry.ts"

const setup = await registry()

const noon = new Date("2026-03-01T12:00:00Z")
const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** A token of a program. */
const token = 7
const after = (ms: number) => new Date(noon.getTime() + ms)

const account = (): Promise<number> => setup.account(`${crypto.randomUUID()}@example.com`)

/** Writes only when stopped, so that timers on a busy machine do not change what a test counts. */
const usageOf = (options: Partial<Parameters<typeof createUsage>[0]> = {}): Usage =>
  createUsage({
    pool: setup.pool,
    onFailure: () => {},
    waitMs: minuteMs,
    writeEveryMs: hourMs,
    ...options,
  })

const count = (usage: Usage, accountId: number, tokenId: number, when: Date) =>
  usage.count({ accountId, tokenId }, when)

const lastHour = async (usage: Usage, id: number, now = noon) =>
  (await usage.lastDay(id, now)).at(-1)

/** The pool, with something around its statements. */
const around = (run: <T>(statement: () => Promise<T>) => Promise<T>): Pool => ({
  ...setup.pool,
  runAlone: (...given) => run(() => setup.pool.runAlone(...given)),
})

/** A pool whose statements have committed, and return only once they are released. */
function unconfirmed() {
  const committed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const pool = around(async (statement) => {
    const result = await statement()
    committed.resolve()
    await released.promise
    return result
  })
  return { pool, committed, released }
}

test("Unconfirmed counts appear once", async () => {
  const id = await account()
  const { pool, committed, released } = unconfirmed()
  const usage = usageOf({ pool })
  for (let request = 0; request < 3; request++) count(usage, id, token, noon)
  const stopped = usage.stop(minuteMs)
  await committed.promise
  count(usage, id, token, noon)
  const counted = lastHour(usage, id)
  // Gives a read that does not wait for the write the time to end.
  for (let trip = 0; trip < 5; trip++) await setup.sql("select 1")
  released.resolve()
  expect((await counted)?.requests).toBe(4)
  await stopped
  expect((await lastHour(usage, id))?.requests).toBe(4)
})

test("Failed writes of counts are retried, and no count is added twice", async () => {
  const id = await account()
  let away = true
  const pool = around((statement) => (away ? Promise.reject(new Unavailable("away")) : statement()))
  const failures: unknown[] = []
  const usage = usageOf({ pool, onFailure: (...failure) => failures.push(failure) })
  count(usage, id, token, noon)
  await usage.stop(minuteMs)
  expect(failures).toEqual([[expect.any(Unavailable), { unwritten_requests: 1 }]])
  await expect(lastHour(usage, id)).rejects.toThrow(Unavailable)
  away = false
  count(usage, id, token, noon)
  for (const reader of [usage, usage, usageOf()]) {
    expect((await lastHour(reader, id))?.requests).toBe(2)
  }
})

test("Counts that are dropped and begin anew during a write do not prevent later writes", async () => {
  const id = await account()
  const other = await account()
  const { pool, committed, released } = unconfirmed()
  const usage = usageOf({ pool })
  for (let request = 0; request < 3; request++) count(usage, id, token, noon)
  const counted = lastHour(usage, id)
  await committed.promise
  // So many accounts that the first count is dropped.
  for (let each = 1; each <= 50_000; each++) count(usage, -each, token, noon)
  count(usage, id, token, noon)
  count(usage, other, token, noon)
  released.resolve()
  await counted
  await usage.stop(minuteMs)
  expect((await lastHour(usage, id))?.requests).toBe(4)
  expect((await lastHour(usage, other))?.requests).toBe(1)
})

test("While the database does not respond, calls fail in time, one statement waits, and shutdown reports the counts", async () => {
  const { promise: never } = Promise.withResolvers<never>()
  let statements = 0
  const failures: unknown[] = []
  const usage = usageOf({
    pool: around(() => {
      statements++
      return never
    }),
    onFailure: (error, lost) => failures.push([(error as Error).name, lost]),
    waitMs: 20,
  })
  for (let request = 0; request < 3; request++) count(usage, 1, token, noon)
  count(usage, 2, token, after(hourMs))
  for (let round = 0; round < 3; round++) {
    const reads = Array.from({ length: 50 }, () => usage.lastDay(1, noon))
    for (const { status } of await Promise.allSettled(reads)) expect(status).toBe("rejected")
  }
  await expect(usage.lastDay(1, noon)).rejects.toBeInstanceOf(Unavailable)
  expect(statements).toBe(1)
  await usage.stop(20)
  expect(failures).toEqual([["Unavailable", { unwritten_requests: 4 }]])
})

test("A deleted account does not prevent writing the counts of other accounts", async () => {
  const [deleted, kept] = [await account(), await account()]
  const usage = usageOf()
  for (const id of [deleted, kept]) count(usage, id, token, noon)
  await setup.sql(`delete from accounts where id = ${deleted}`)
  await usage.stop(minuteMs)
  expect((await lastHour(usage, kept))?.requests).toBe(1)
  expect((await lastHour(usage, deleted))?.requests).toBe(0)
})

test("The overview counts 24 hours and 30 days exactly, by token", async () => {
  const id = await account()
  const [row] = await setup.sql(`insert into tokens (account_id, name, sha256, prefix)
    values (${id}, 'sheet', repeat('a', 64), 'mds_aaaaaaaa') returning id::int`)
  const sheet = row?.id as number
  const [usage, other] = [usageOf(), usageOf()]
  const startOfDay = -12 * hourMs
  for (const [tokenId, ms] of [
    [token, 0],
    [sheet, 0],
    [token, -23 * hourMs],
    [token, -23 * hourMs - 1],
    [0, startOfDay - 29 * dayMs],
    [0, startOfDay - 29 * dayMs - 1],
  ] as const) {
    count(usage, id, tokenId, after(ms))
  }
  count(usage, await account(), token, noon)
  // Another process has written one more.
  count(other, id, sheet, noon)
  await other.stop(minuteMs)
  const check = async (from: Usage) => {
    const { hours, days, tokens } = await from.overview(id, noon)
    expect([hours.length, days.length]).toEqual([24, 30])
    expect([hours[0], hours[23]]).toEqual([
      { startMs: noon.getTime() - 23 * hourMs, requests: 1 },
      { startMs: noon.getTime(), requests: 3 },
    ])
    expect([days[0], days[28], days[29]]).toEqual([
      { startMs: noon.getTime() + startOfDay - 29 * dayMs, requests: 1 },
      { startMs: noon.getTime() + startOfDay - dayMs, requests: 2 },
      { startMs: noon.getTime() + startOfDay, requests: 3 },
    ])
    const sum = (periods: typeof hours) => periods.reduce((all, { requests }) => all + requests, 0)
    expect([sum(hours), sum(days)]).toEqual([4, 6])
    expect(tokens).toEqual([
      { tokenId: token, lastDay: 2, last30Days: 3 },
      { tokenId: sheet, lastDay: 2, last30Days: 2 },
      { tokenId: 0, lastDay: 0, last30Days: 1 },
    ])
  }
  await check(usage)
  await check(usageOf())
})

test("Processes that write the same accounts in opposite orders do not deadlock", async () => {
  const ids = [await account(), await account(), await account()]
  const failures: unknown[] = []
  const write = async (order: readonly number[]) => {
    const usage = usageOf({ onFailure: (error) => failures.push(error) })
    for (const id of order) count(usage, id, token, noon)
    await usage.stop(minuteMs)
  }
  await write(ids)
  // Stops both at the account in the middle, where each would have the one that the other needs next.
  const outside = postgres(setup.url, { max: 2, onnotice: () => {} })
  const writes = await outside.begin(async (tx) => {
    await tx`select from usage_hours where account_id = ${ids[1] ?? 0} for update`
    const both = [write(ids), write(ids.toReversed())]
    await until(async () => {
      const [row] = await outside`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      return row?.n === 2
    })
    return [both]
  })
  await Promise.all(writes.flat())
  await outside.end()
  expect(failures).toEqual([])
  for (const id of ids) expect((await lastHour(usageOf(), id))?.requests).toBe(3)
})

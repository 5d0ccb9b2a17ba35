/** The usage shown to an account is exact, is cheap to read, and counts nothing twice when writes fail. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import postgres from "postgres"
import { createUsage, type Usage } from "../../src/access/usage.ts"
import type { Pool } from "../../src/db/pool/pool.ts"
import { Unavailable } from "../../src/db/pool/unavailable.ts"
import { until } from "../support/until.ts"
import { type Registry, registry } from "./registry.ts"

let at: Registry

beforeAll(async () => {
  at = await registry()
})

afterAll(() => at.stop())

const noon = new Date("2026-03-01T12:00:00Z")
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Where it does not matter which. */
const token = 7
const after = (ms: number) => new Date(noon.getTime() + ms)

async function account(email: string): Promise<number> {
  await at.issue(email)
  const [row] = await at.sql(`select id::int from accounts where email = '${email}'`)
  return row?.id as number
}

interface Options {
  pool?: Pool
  onFailure?: (error: unknown) => void
  waitMs?: number
}

/** Writes only when stopped, so that timers on a busy machine do not change what a test counts. */
const usageOf = ({ pool = at.pool, onFailure = () => {}, waitMs = 60_000 }: Options = {}): Usage =>
  createUsage({ pool, now: () => noon, onFailure, waitMs, writeEveryMs: hourMs })

test("counts that can't be written in time at the stop are named", async () => {
  const { promise: never } = Promise.withResolvers<never>()
  const failures: unknown[] = []
  const usage = createUsage({
    pool: { ...at.pool, runAlone: () => never },
    now: () => noon,
    onFailure: (error, fields) => failures.push([(error as Error).name, fields]),
  })
  for (let request = 0; request < 3; request++) usage.count(1, token, noon)
  usage.count(2, token, after(hourMs))
  await usage.stop(5)
  expect(failures).toEqual([["Unavailable", { unwritten_requests: 4 }]])
})

const lastHour = async (usage: Usage, id: number, now = noon) =>
  (await usage.lastDay(id, now)).at(-1)

/** A pool that counts its statements, each of which begins once `before` has resolved. */
function watched(before: () => Promise<void> = async () => {}) {
  let statements = 0
  const pool: Pool = {
    ...at.pool,
    runAlone: async (account, statement) => {
      statements++
      await before()
      return at.pool.runAlone(account, statement)
    },
  }
  return { pool, statements: () => statements }
}

const reason = (settled: Promise<unknown>) =>
  settled.then(
    () => undefined,
    (error: unknown) => error,
  )

test("the counts of all processes add up", async () => {
  const id = await account("sum@example.com")
  const processes = [usageOf(), usageOf(), usageOf()]
  await Promise.all(
    processes.map(async (usage) => {
      for (let request = 0; request < 100; request++) {
        usage.count(id, token, noon)
        if (request % 10 === 0) await usage.lastDay(id, noon)
      }
      await usage.stop()
    }),
  )
  expect(await lastHour(usageOf(), id)).toEqual({ hour: "2026-03-01T12:00:00Z", requests: 300 })
})

test("a process shows all requests that it counted itself", async () => {
  const id = await account("own@example.com")
  const usage = usageOf()
  for (let request = 1; request <= 5; request++) {
    usage.count(id, token, noon)
    expect((await lastHour(usage, id))?.requests).toBe(request)
  }
  await usage.stop()
})

test("however often an account asks, it is read once in five seconds, and its own requests show at once", async () => {
  const id = await account("often@example.com")
  const { pool, statements } = watched()
  const usage = usageOf({ pool })
  for (let request = 1; request <= 100; request++) {
    usage.count(id, token, noon)
    const answers = await Promise.all([lastHour(usage, id), lastHour(usage, id, after(4_999))])
    expect(answers.map((hour) => hour?.requests)).toEqual([request, request])
  }
  expect(statements()).toBe(1)
  await lastHour(usage, id, after(5_000))
  expect(statements()).toBe(2)
  await usage.stop()
})

test("the counts of other processes show after five seconds", async () => {
  const id = await account("others@example.com")
  const [one, other] = [usageOf(), usageOf()]
  expect((await lastHour(one, id))?.requests).toBe(0)
  other.count(id, token, noon)
  await other.stop()
  expect((await lastHour(one, id, after(4_999)))?.requests).toBe(0)
  expect((await lastHour(one, id, after(5_000)))?.requests).toBe(1)
  await one.stop()
})

test("counts whose write is not yet confirmed show once and not twice", async () => {
  const id = await account("moving@example.com")
  const committed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const pool: Pool = {
    ...at.pool,
    runAlone: async (account, statement) => {
      const result = await at.pool.runAlone(account, statement)
      committed.resolve()
      await released.promise
      return result
    },
  }
  const usage = usageOf({ pool })
  for (let request = 0; request < 3; request++) usage.count(id, token, noon)
  const stopped = usage.stop()
  await committed.promise
  usage.count(id, token, noon)
  const asked = lastHour(usage, id)
  // Gives a read that does not wait for the write the time to end.
  for (let trip = 0; trip < 5; trip++) await at.sql("select 1")
  released.resolve()
  expect((await asked)?.requests).toBe(4)
  await stopped
  expect((await lastHour(usage, id))?.requests).toBe(4)
})

test("counts that could not be written are written later, none twice, and show in the meantime", async () => {
  const id = await account("later@example.com")
  let away = false
  const flaky: Pool = {
    ...at.pool,
    runAlone: (account, statement) =>
      away ? Promise.reject(new Unavailable("away")) : at.pool.runAlone(account, statement),
  }
  const failures: unknown[] = []
  const usage = usageOf({ pool: flaky, onFailure: (error) => failures.push(error) })
  expect((await lastHour(usage, id))?.requests).toBe(0)
  usage.count(id, token, noon)
  away = true
  await usage.stop()
  expect(failures).toEqual([expect.any(Unavailable)])
  usage.count(id, token, noon)
  expect((await lastHour(usage, id))?.requests).toBe(2)
  away = false
  await usage.stop()
  await usage.stop()
  expect((await lastHour(usage, id))?.requests).toBe(2)
  expect((await lastHour(usageOf(), id))?.requests).toBe(2)
})

test("where the database does not answer, every call fails in time, and only one statement waits", async () => {
  const id = await account("silent@example.com")
  const { promise: never } = Promise.withResolvers<void>()
  const { pool, statements } = watched(() => never)
  const usage = usageOf({ pool, waitMs: 20 })
  usage.count(id, token, noon)
  for (let round = 0; round < 3; round++) {
    const asked = await Promise.all(
      Array.from({ length: 50 }, () => reason(usage.lastDay(id, noon))),
    )
    for (const error of asked) expect(error).toBeInstanceOf(Unavailable)
  }
  expect(statements()).toBe(1)
  await usage.stop()
})

test("an account that was deleted in the meantime does not prevent the counts of others from being written", async () => {
  const [deleted, kept] = [await account("deleted@example.com"), await account("kept@example.com")]
  const usage = usageOf()
  usage.count(deleted, token, noon)
  usage.count(kept, token, noon)
  await at.sql(`delete from accounts where id = ${deleted}`)
  await usage.stop()
  const later = usageOf()
  expect((await lastHour(later, kept))?.requests).toBe(1)
  expect((await lastHour(later, deleted))?.requests).toBe(0)
  await later.stop()
})

test("a day is 24 clock hours with exact boundaries", async () => {
  const id = await account("day@example.com")
  const usage = usageOf()
  for (const ms of [-24 * hourMs + 3_599_999, -23 * hourMs, -1, 0, hourMs - 1, hourMs]) {
    usage.count(id, token, after(ms))
  }
  const counted = (await usage.lastDay(id, noon)).map(({ requests }) => requests)
  expect(counted).toHaveLength(24)
  expect([counted[0], counted[22], counted[23]]).toEqual([1, 1, 2])
  expect((await lastHour(usage, id, after(hourMs)))?.requests).toBe(1)
  await usage.stop()
})

async function tokenOf(email: string, name: string, forSpreadsheets = false): Promise<number> {
  await at.issue(email, name)
  const [row] = await at.sql(
    `update tokens set for_spreadsheets = ${forSpreadsheets} where name = '${name}' returning id::int`,
  )
  return row?.id as number
}

test("the overview has 24 hours and 30 days with exact boundaries, by token, spreadsheets apart", async () => {
  const id = await account("overview@example.com")
  const program = await tokenOf("overview@example.com", "program")
  const sheet = await tokenOf("overview@example.com", "sheet", true)
  const other = await account("overview-other@example.com")
  const usage = usageOf()
  const startOfDay = -12 * hourMs
  const counted = [
    [program, 0],
    [sheet, 0],
    [sheet, 0],
    [program, -23 * hourMs],
    [program, -23 * hourMs - 1],
    [0, startOfDay - 29 * dayMs],
    [0, startOfDay - 29 * dayMs - 1],
  ] as const
  for (const [tokenId, ms] of counted) usage.count(id, tokenId, after(ms))
  usage.count(other, token, noon)
  const check = async (from: Usage) => {
    const { hours, days, tokens } = await from.overview(id, noon)
    expect([hours.length, days.length]).toEqual([24, 30])
    expect([hours[0], hours[23]]).toEqual([
      { startMs: noon.getTime() - 23 * hourMs, requests: 1, ofSpreadsheets: 0 },
      { startMs: noon.getTime(), requests: 3, ofSpreadsheets: 2 },
    ])
    expect([days[0], days[28], days[29]]).toEqual([
      { startMs: noon.getTime() + startOfDay - 29 * dayMs, requests: 1, ofSpreadsheets: 0 },
      { startMs: noon.getTime() + startOfDay - dayMs, requests: 2, ofSpreadsheets: 0 },
      { startMs: noon.getTime() + startOfDay, requests: 3, ofSpreadsheets: 2 },
    ])
    const sum = (periods: typeof hours) => periods.reduce((all, { requests }) => all + requests, 0)
    expect([sum(hours), sum(days)]).toEqual([4, 6])
    expect(tokens).toEqual([
      { tokenId: program, lastDay: 2, last30Days: 3 },
      { tokenId: sheet, lastDay: 2, last30Days: 2 },
      { tokenId: 0, lastDay: 0, last30Days: 1 },
    ])
  }
  await check(usage)
  await usage.stop()
  await check(usage)
  await check(usageOf())
})

test("the overview adds what other processes have written to what this one has not", async () => {
  const id = await account("overview-sum@example.com")
  const [one, other] = [usageOf(), usageOf()]
  const requests = async () => (await one.overview(id, noon)).tokens
  one.count(id, 1, noon)
  other.count(id, 1, noon)
  other.count(id, 2, noon)
  expect(await requests()).toEqual([{ tokenId: 1, lastDay: 1, last30Days: 1 }])
  await other.stop()
  expect(await requests()).toEqual([
    { tokenId: 1, lastDay: 2, last30Days: 2 },
    { tokenId: 2, lastDay: 1, last30Days: 1 },
  ])
  await one.stop()
  expect(await requests()).toEqual([
    { tokenId: 1, lastDay: 2, last30Days: 2 },
    { tokenId: 2, lastDay: 1, last30Days: 1 },
  ])
})

test("counts are kept by hour for two days and by day for 31, and deleted then", async () => {
  const id = await account("kept-days@example.com")
  const stored = async (table: string, start: string) =>
    (
      await at.sql(
        `select ${start}::text as start from ${table} where account_id = ${id} order by 1`,
      )
    ).map((row) => row.start)
  const early = usageOf()
  for (const ms of [-32 * dayMs, -31 * dayMs, -2 * dayMs - hourMs, -2 * dayMs]) {
    early.count(id, token, after(ms))
  }
  await early.stop()
  const usage = createUsage({
    pool: at.pool,
    now: () => noon,
    // On a busy machine, a write may take longer than a millisecond.
    onFailure: () => {},
    writeEveryMs: 1,
  })
  usage.count(id, token, noon)
  await until(async () => !(await stored("usage_days", "day")).includes("2026-01-28"))
  await usage.stop()
  expect(await stored("usage_days", "day")).toEqual(["2026-01-29", "2026-02-27", "2026-03-01"])
  for (const table of ["usage_hours", "usage_token_hours"]) {
    expect(await stored(table, "hour at time zone 'UTC'")).toEqual([
      "2026-02-27 12:00:00",
      "2026-03-01 12:00:00",
    ])
  }
})

test("processes that count the same accounts in opposite orders do not block each other", async () => {
  const ids: number[] = []
  for (let n = 0; n < 3; n++) ids.push(await account(`crossing${n}@example.com`))
  const failures: unknown[] = []
  const write = async (order: readonly number[]) => {
    const usage = usageOf({ onFailure: (error) => failures.push(error) })
    for (const id of order) usage.count(id, token, noon)
    await usage.stop()
  }
  await write(ids)
  // Stops both at the account in the middle, where each would have the one that the other needs next.
  const outside = postgres(at.url, { max: 2, onnotice: () => {} })
  const released = Promise.withResolvers<void>()
  const locked = Promise.withResolvers<void>()
  const holding = outside.begin(async (tx) => {
    await tx`select from usage_hours where account_id = ${ids[1] ?? 0} for update`
    locked.resolve()
    await released.promise
  })
  await locked.promise
  const writes = [write(ids), write(ids.toReversed())]
  await until(async () => {
    const [row] = await outside`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`
    return row?.n === 2
  })
  released.resolve()
  await Promise.all([holding, ...writes])
  await outside.end()
  expect(failures).toEqual([])
  const { tokens } = await usageOf().overview(ids[0] ?? 0, noon)
  expect(tokens).toEqual([{ tokenId: token, lastDay: 3, last30Days: 3 }])
})

test("the overview of an account with 1,000 tokens in use reads its own rows by their key", async () => {
  const id = await account("many@example.com")
  await at.sql(`insert into usage_days (account_id, token_id, day, requests)
    select ${id}, token, day::date, 1 from generate_series(1000001, 1001000) token,
      generate_series(date '2026-01-30', date '2026-03-01', interval '1 day') day`)
  await at.sql(`insert into usage_token_hours (account_id, token_id, hour, requests)
    select ${id}, token, hour, 1 from generate_series(1000001, 1001000) token,
      generate_series(timestamptz '2026-02-28 13:00Z', '2026-03-01 12:00Z', interval '1 hour') hour`)
  await at.sql(`insert into usage_hours (account_id, hour, requests)
    select account_id, hour, sum(requests) from usage_token_hours where account_id = ${id} group by 1, 2`)
  // Rows of others, so that a plan that reads all is none by chance.
  await at.sql(`insert into accounts (email, email_folded, plan)
    select n || '@many.example', n || '@many.example', 'standard' from generate_series(1, 2000) n`)
  await at.sql(`insert into usage_days (account_id, token_id, day, requests)
    select id, 0, day::date, 1 from accounts,
      generate_series(date '2026-01-30', date '2026-03-01', interval '1 day') day
    where email like '%@many.example'`)
  await at.sql("analyze usage_days, usage_hours, usage_token_hours")
  const { hours, days, tokens } = await usageOf().overview(id, noon)
  expect([hours[0]?.requests, days[0]?.requests, tokens.length]).toEqual([1_000, 1_000, 1_000])
  const plan = await at.sql(`explain select day, token_id, sum(requests) from usage_days
    left join (select id, for_spreadsheets from tokens) of_token on id = token_id
    where account_id = ${id} and day >= '2026-01-31' group by grouping sets ((day), (token_id))`)
  const text = plan.map((row) => row["QUERY PLAN"]).join("\n")
  expect(text).toContain("usage_days_account_id_day_token_id_pk")
  expect(text).not.toContain("Seq Scan on usage_days")
})

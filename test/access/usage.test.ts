/** The usage shown to an account is exact, is cheap to read, and counts nothing twice when writes fail. */

import { afterAll, beforeAll, expect, test } from "bun:test"
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
    pool: { ...at.pool, run: () => never },
    now: () => noon,
    onFailure: (error, fields) => failures.push([(error as Error).name, fields]),
  })
  for (let request = 0; request < 3; request++) usage.count(1, noon)
  usage.count(2, after(hourMs))
  await usage.stop(5)
  expect(failures).toEqual([["Unavailable", { unwritten_requests: 4 }]])
})

const lastHour = async (usage: Usage, id: number, now = noon) =>
  (await usage.lastDay(id, now)).at(-1)

/** A pool that counts its statements, each of which begins once `before` has resolved. */
function watched(before: () => Promise<void> = async () => {}) {
  let statements = 0
  let running = 0
  let mostRunning = 0
  const pool: Pool = {
    ...at.pool,
    run: async (statement) => {
      statements++
      mostRunning = Math.max(mostRunning, ++running)
      try {
        await before()
        return await at.pool.run(statement)
      } finally {
        running--
      }
    },
  }
  return { pool, statements: () => statements, mostRunning: () => mostRunning }
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
        usage.count(id, noon)
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
    usage.count(id, noon)
    expect((await lastHour(usage, id))?.requests).toBe(request)
  }
  await usage.stop()
})

test("however often an account asks, it is read once in five seconds, and its own requests show at once", async () => {
  const id = await account("often@example.com")
  const { pool, statements } = watched()
  const usage = usageOf({ pool })
  for (let request = 1; request <= 100; request++) {
    usage.count(id, noon)
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
  other.count(id, noon)
  await other.stop()
  expect((await lastHour(one, id, after(4_999)))?.requests).toBe(0)
  expect((await lastHour(one, id, after(5_000)))?.requests).toBe(1)
  await one.stop()
})

test("accounts that ask while a statement runs are read together by the next", async () => {
  const ids: number[] = []
  for (let n = 0; n < 20; n++) ids.push(await account(`together${n}@example.com`))
  const [, ...others] = ids
  const { pool, statements, mostRunning } = watched()
  const usage = usageOf({ pool })
  for (const id of ids) usage.count(id, noon)
  const first = lastHour(usage, ids[0] ?? 0)
  await until(() => statements() === 1)
  const hours = await Promise.all([first, ...others.map((id) => lastHour(usage, id))])
  expect(hours.map((hour) => hour?.requests)).toEqual(ids.map(() => 1))
  expect(statements()).toBe(2)
  expect(mostRunning()).toBe(1)
  await usage.stop()
})

test("counts whose write is not yet confirmed show once and not twice", async () => {
  const id = await account("moving@example.com")
  const committed = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const pool: Pool = {
    ...at.pool,
    run: async (statement) => {
      const result = await at.pool.run(statement)
      committed.resolve()
      await released.promise
      return result
    },
  }
  const usage = usageOf({ pool })
  for (let request = 0; request < 3; request++) usage.count(id, noon)
  const stopped = usage.stop()
  await committed.promise
  usage.count(id, noon)
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
    run: (statement) => (away ? Promise.reject(new Unavailable("away")) : at.pool.run(statement)),
  }
  const failures: unknown[] = []
  const usage = usageOf({ pool: flaky, onFailure: (error) => failures.push(error) })
  expect((await lastHour(usage, id))?.requests).toBe(0)
  usage.count(id, noon)
  away = true
  await usage.stop()
  expect(failures).toEqual([expect.any(Unavailable)])
  usage.count(id, noon)
  expect((await lastHour(usage, id))?.requests).toBe(2)
  away = false
  await usage.stop()
  await usage.stop()
  expect((await lastHour(usage, id))?.requests).toBe(2)
  expect((await lastHour(usageOf(), id))?.requests).toBe(2)
})

test("a write that ends after its deadline is not repeated", async () => {
  const id = await account("late@example.com")
  const failures: unknown[] = []
  const givenUp = new Unavailable("No answer from the database in time")
  let isFirst = true
  const pool: Pool = {
    ...at.pool,
    run: async (statement) => {
      if (!isFirst) return at.pool.run(statement)
      isFirst = false
      // As the pool does at its deadline: only the caller gets an error, and the statement goes on.
      statement()
      throw givenUp
    },
  }
  const usage = usageOf({ pool, onFailure: (error) => failures.push(error) })
  usage.count(id, noon)
  await usage.stop()
  await usage.stop()
  expect((await lastHour(usageOf(), id))?.requests).toBe(1)
  expect(failures).toEqual([])
})

test("where the database does not answer, every call fails in time, and only one statement waits", async () => {
  const id = await account("silent@example.com")
  const { promise: never } = Promise.withResolvers<void>()
  const { pool, statements } = watched(() => never)
  const usage = usageOf({ pool, waitMs: 20 })
  usage.count(id, noon)
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
  usage.count(deleted, noon)
  usage.count(kept, noon)
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
    usage.count(id, after(ms))
  }
  const counted = (await usage.lastDay(id, noon)).map(({ requests }) => requests)
  expect(counted).toHaveLength(24)
  expect([counted[0], counted[22], counted[23]]).toEqual([1, 1, 2])
  expect((await lastHour(usage, id, after(hourMs)))?.requests).toBe(1)
  await usage.stop()
})

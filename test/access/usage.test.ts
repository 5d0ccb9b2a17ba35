import { afterAll, beforeAll, expect, test } from "bun:test"
import { createUsage, type Usage } from "../../src/access/usage.ts"
import type { Pool } from "../../src/db/pool.ts"
import { Unavailable } from "../../src/db/unavailable.ts"
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

const usageOf = (pool: Pool = at.pool): Usage =>
  createUsage(
    pool,
    () => noon,
    () => {},
  )

const lastHour = async (usage: Usage, id: number, now = noon) =>
  (await usage.lastDay(id, now)).at(-1)

test("the processes' counts add up", async () => {
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

test("what is asked of one process has all that it counted itself", async () => {
  const id = await account("own@example.com")
  const usage = usageOf()
  for (let request = 1; request <= 5; request++) {
    usage.count(id, noon)
    expect((await lastHour(usage, id))?.requests).toBe(request)
  }
  await usage.stop()
})

test("counts that could not be written are written later, none twice", async () => {
  const id = await account("later@example.com")
  let away = true
  const flaky: Pool = {
    ...at.pool,
    run: (statement) => (away ? Promise.reject(new Unavailable("away")) : at.pool.run(statement)),
  }
  const usage = usageOf(flaky)
  usage.count(id, noon)
  for (let attempt = 0; attempt < 3; attempt++) {
    const error = await usage.lastDay(id, noon).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Unavailable)
  }
  usage.count(id, noon)
  away = false
  expect((await lastHour(usage, id))?.requests).toBe(2)
  expect((await lastHour(usage, id))?.requests).toBe(2)
  await usage.stop()
})

test("an account that was deleted meanwhile keeps no other's counts from being written", async () => {
  const [gone, stays] = [await account("gone@example.com"), await account("stays@example.com")]
  const usage = usageOf()
  usage.count(gone, noon)
  usage.count(stays, noon)
  await at.sql(`delete from accounts where id = ${gone}`)
  expect((await lastHour(usage, stays))?.requests).toBe(1)
  expect((await lastHour(usage, gone))?.requests).toBe(0)
  await usage.stop()
})

test("the day is 24 clock hours, whose borders are sharp", async () => {
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

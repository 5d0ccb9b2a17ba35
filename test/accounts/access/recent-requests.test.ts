/** The last requests of an account show at once, are kept for later, and never cost or fail a request. */
import { expect, test } from "bun:test"
import {
  createRecentRequests,
  type RecentRequest,
  type RecentRequests,
  type RecentRequestsOptions,
} from "../../../src/accounts/access/recent-requests.ts"
import type { Pool } from "../../../src/data/db/pool/pool.ts"
import { Unavailable } from "../../../src/data/db/pool/unavailable.ts"
import { until } from "../../support/until.ts"
import { registry } from "./registry.ts"

const setup = await registry()

const noon = new Date("2026-03-01T12:00:00Z")

/** Writes only when stopped, so that timers on a busy machine do not change what a test sees. */
const recentOf = (options: Partial<RecentRequestsOptions> = {}): RecentRequests =>
  createRecentRequests({
    pool: setup.pool,
    onFailure: () => {},
    writeEveryMs: 3_600_000,
    ...options,
  })

/** Writes what was recorded, however long that takes on a busy machine. */
const written = (recent: RecentRequests) => recent.stop(60_000)

let made = 0

/** The n-th of a test arrives n ms after noon. */
const request = (n: number, others: Partial<RecentRequest> = {}): RecentRequest => ({
  requestId: `00000000-0000-4000-8000-${String(++made).padStart(12, "0")}`,
  tokenId: 1,
  atMs: noon.getTime() + n,
  method: "GET",
  target: `/api/v1/companies?page=${n}`,
  status: 200,
  ms: 1.5,
  ...others,
})

const storedOf = async (id: number): Promise<number> => {
  const [row] = await setup.sql(
    `select count(*)::int as n from recent_requests where account_id = ${id}`,
  )
  return row?.n as number
}

/** A pool whose statements fail with what this returns, if it returns something. */
const failing = (failure: () => Error | undefined): Pool => ({
  ...setup.pool,
  runAlone: (account, statement) => {
    const error = failure()
    return error ? Promise.reject(error) : setup.pool.runAlone(account, statement)
  },
})

test("Each account keeps its last 100 requests in memory and in the database", async () => {
  const [busy, quiet] = [
    await setup.account("busy@example.com"),
    await setup.account("quiet@example.com"),
  ]
  const recent = recentOf()
  const first = request(0)
  recent.record(quiet, first)
  let requests: RecentRequest[] = []
  for (let round = 0; round < 3; round++) {
    requests = Array.from({ length: 250 }, (_, index) => request(round * 250 + index))
    for (const each of requests) recent.record(busy, each)
    expect(await recent.last(busy)).toEqual(requests.slice(-100).toReversed())
    await written(recent)
    expect(await storedOf(busy)).toBe(100)
  }
  expect(await recent.last(busy)).toEqual(requests.slice(-100).toReversed())
  expect(await recent.last(quiet)).toEqual([first])
})

test("Processes that write one account's requests at once keep its last 100", async () => {
  const id = await setup.account("crossed@example.com")
  const failures: unknown[] = []
  const processes = Array.from({ length: 4 }, () =>
    recentOf({ onFailure: (error) => failures.push(error) }),
  )
  for (let round = 0; round < 2; round++) {
    for (const [index, each] of processes.entries()) {
      for (let n = 0; n < 60; n++) each.record(id, request(round * 1_000 + n * 4 + index))
    }
    await Promise.all(processes.map((each) => written(each)))
  }
  expect(failures).toEqual([])
  expect(await storedOf(id)).toBe(100)
  const last = await recentOf().last(id)
  expect(last.map(({ atMs }) => atMs - noon.getTime())).toEqual(
    Array.from({ length: 100 }, (_, index) => 1_239 - index),
  )
})

test("Requests made while the database is unavailable are written later, each once", async () => {
  const id = await setup.account("away@example.com")
  let away: Error | undefined
  const failures: unknown[] = []
  const recent = recentOf({
    pool: failing(() => away),
    onFailure: (error) => failures.push(error),
    writeEveryMs: 1,
  })
  away = new Unavailable("away")
  const requests = [request(1), request(2)]
  recent.record(id, request(0))
  for (const each of requests) recent.record(id, each)
  await until(() => failures.length > 2)
  expect(await storedOf(id)).toBe(0)
  away = undefined
  await until(async () => (await storedOf(id)) === 3)
  expect((await recent.last(id)).slice(0, 2)).toEqual(requests.toReversed())
  await written(recent)
  expect(await storedOf(id)).toBe(3)
})

test("Repeating an unconfirmed write adds no request twice", async () => {
  const id = await setup.account("unconfirmed@example.com")
  let writes = 0
  const pool: Pool = {
    ...setup.pool,
    runAlone: async (account, statement) => {
      const result = await setup.pool.runAlone(account, statement)
      if (++writes === 1) throw new Unavailable("The connection was lost")
      return result
    },
  }
  const recent = recentOf({ pool, writeEveryMs: 1 })
  recent.record(id, request(1))
  await until(() => writes >= 2)
  await written(recent)
  expect(await storedOf(id)).toBe(1)
})

test("Unstorable text and a deleted account do not stop the write of other requests", async () => {
  const [id, deleted] = [
    await setup.account("odd@example.com"),
    await setup.account("gone@example.com"),
  ]
  const failures: unknown[] = []
  const recent = recentOf({ onFailure: (error) => failures.push(error) })
  recent.record(deleted, request(0))
  recent.record(id, request(1, { target: "/api/v1/a\0b" }))
  recent.record(id, request(2, { target: `/api/v1/${"😀".slice(0, 1)}` }))
  recent.record(id, request(3, { target: "/api/v1/'\"\\\u2028\u202e" }))
  await setup.sql(`delete from accounts where id = ${deleted}`)
  await written(recent)
  expect(failures).toEqual([])
  expect((await recentOf().last(id)).map(({ target }) => target)).toEqual([
    "/api/v1/'\"\\\u2028\u202e",
    "/api/v1/\ufffd",
    "/api/v1/a\ufffdb",
  ])
})

test("Shutdown reports the requests that it could not write in time", async () => {
  const { promise: never } = Promise.withResolvers<never>()
  const failures: unknown[] = []
  const onFailure = (error: unknown, lost: unknown) => failures.push([(error as Error).name, lost])
  const hanging = recentOf({ pool: { ...setup.pool, runAlone: () => never }, onFailure })
  for (let n = 0; n < 3; n++) hanging.record(1, request(n))
  await hanging.stop(5)
  const away = recentOf({ pool: failing(() => new Unavailable("away")), onFailure })
  away.record(1, request(0))
  await written(away)
  expect(failures).toEqual([
    ["Unavailable", { unwritten_requests: 3 }],
    ["Unavailable", { unwritten_requests: 1 }],
  ])
})

test("Beyond the memory budget the least active account loses its requests, and the log reports it", async () => {
  const ids: number[] = []
  for (let n = 0; n < 3; n++) ids.push(await setup.account(`budget${n}@example.com`))
  const [first = 0, second = 0, third = 0] = ids
  const failures: unknown[] = []
  const recent = recentOf({
    maxBytes: 3_000,
    onFailure: (error, lost) => failures.push([(error as Error).message, lost]),
  })
  const target = "/x"
  for (let n = 0; n < 3; n++) recent.record(first, request(n, { target }))
  for (let n = 0; n < 3; n++) recent.record(second, request(n, { target }))
  recent.record(first, request(4, { target }))
  recent.record(third, request(5, { target }))
  const counts = async () => Promise.all(ids.map(async (id) => (await recent.last(id)).length))
  expect(await counts()).toEqual([4, 0, 1])
  await written(recent)
  expect(failures).toEqual([
    ["The recent requests of all accounts take more than 3000 bytes", { unwritten_requests: 3 }],
  ])
  expect(await counts()).toEqual([4, 0, 1])
})

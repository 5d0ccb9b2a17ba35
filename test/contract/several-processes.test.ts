/** Processes that share a database and a Redis behave as one service. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sampleFixtures } from "../support/fixtures.ts"
import { command, type ServiceProcess, serviceProcess } from "../support/process.ts"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readError, readList, readRecord } from "./bodies.ts"

sayIfLeftOut(import.meta.path)

const sizes = { companies: 30, tenements: 300, subsidiaries: 10, reports: 10 }
const limit = 60
const briefWindowMs = 1_000

describe.skipIf(!redisIsInstalled)("two processes on one Redis and one database", () => {
  let service: TestService
  let redis: RedisServer
  let processes: ServiceProcess[]
  /** Two more, whose window is a second instead of an hour. */
  let brief: ServiceProcess[]

  beforeAll(async () => {
    service = await testService({ records: sampleFixtures(sizes) })
    redis = await redisServer()
    processes = await Promise.all([start(), start()])
    const window = { RATE_WINDOW_SECONDS: String(briefWindowMs / 1000) }
    brief = await Promise.all([start(window), start(window)])
  })

  afterAll(async () => {
    for (const each of [...processes, ...brief]) await each.stop()
    await redis.stop()
    await service.stop()
  })

  const start = (settings: Record<string, string> = {}) =>
    serviceProcess({
      DATABASE_URL: service.database.url,
      REDIS_URL: redis.url,
      // That a busy machine answers late must not make the processes go on alone.
      REDIS_TIMEOUT_MS: "20000",
      ...settings,
    })

  const enterpriseToken = (requestLimit = limit) => service.issueWithLimit(requestLimit)

  const eachInTurn = (index: number, of = processes) => of[index % of.length] as ServiceProcess

  test("they admit together exactly the limit of 100 callers at once", async () => {
    const token = await enterpriseToken()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) => eachInTurn(index).get("/companies/XXX", token)),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(limit)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - limit)
    const remaining = answers
      .filter(({ status }) => status === 404)
      .map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, n) => n))
  })

  test("no second holds more than the limit of 100 callers who wait as they are told", async () => {
    const token = await enterpriseToken()
    const admitted: { from: number; to: number }[] = []
    const untilMs = performance.now() + 5 * briefWindowMs
    await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        while (performance.now() < untilMs) {
          const from = performance.now()
          const answer = await eachInTurn(index, brief).get("/companies/XXX", token)
          if (answer.status === 404) admitted.push({ from, to: performance.now() })
          else {
            const { details } = await readError(answer)
            await Bun.sleep(Number(details?.reset_at) * 1000 - Date.now())
          }
        }
      }),
    )
    // A request began in the window and was answered in it: then it was admitted in it.
    const most = Math.max(
      ...admitted.map(
        ({ from }) =>
          admitted.filter((other) => other.from >= from && other.to <= from + briefWindowMs).length,
      ),
    )
    expect(most).toBeLessThanOrEqual(limit)
    expect(admitted.length).toBeGreaterThanOrEqual(2 * limit)
  })

  test("a caller alone that waits as it is told is admitted by either", async () => {
    const token = await enterpriseToken(2)
    for (let round = 0; round < 3; round++) {
      let asked = round
      const ask = () => eachInTurn(asked++, brief).get("/companies/XXX", token)
      // On a busy machine the first requests may leave the window before the next are made.
      let answer = await ask()
      while (answer.status === 404) answer = await ask()
      expect(answer.status).toBe(429)
      const resetAt = Number(answer.headers.get("x-ratelimit-reset"))
      await until(() => Date.now() >= resetAt * 1000)
      expect((await ask()).status).toBe(404)
    }
  })

  test("a token revoked at the command line is refused by both on the next request", async () => {
    const token = await enterpriseToken()
    const statuses = () =>
      Promise.all(processes.map(async ({ get }) => (await get("/companies/XXX", token)).status))
    expect(await statuses()).toEqual([404, 404])
    const revoked = await command(["token", "revoke", token.slice(0, 12)], {
      DATABASE_URL: service.database.url,
      ACTOR: "jo",
    })
    expect(revoked).toEqual({
      exitCode: 0,
      printed: "",
      said: `Revoked ${token.slice(0, 12)} (test)\n`,
    })
    expect(await statuses()).toEqual([401, 401])
  })

  test("usage is one, whichever is asked", async () => {
    // Enough for asking again and again until it shows.
    const limit = 10_000
    const token = await enterpriseToken(limit)
    for (let request = 0; request < 6; request++) {
      await eachInTurn(request).get("/companies/XXX", token)
    }
    for (const { get } of processes) {
      const { used, remaining } = await readRecord(await get("/usage", token))
      expect(Number(used) + Number(remaining)).toBe(limit)
      expect(used).toBe(6)
    }
    await until(async () => {
      const told = await readRecord(await eachInTurn(0).get("/usage", token))
      const hours = told.requests_per_hour as { requests: number }[]
      return hours.reduce((sum, { requests }) => sum + requests, 0) === 6
    }, 30_000)
  })

  test("so is the bound of asking for it", async () => {
    const token = await enterpriseToken(4)
    const statuses: number[] = []
    for (let asked = 0; asked < 6; asked++) {
      statuses.push((await eachInTurn(asked).get("/usage", token)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    expect((await eachInTurn(0).get("/companies/XXX", token)).status).toBe(404)
  })

  test("requests without a valid token share their address's window", async () => {
    const left = async (index: number) =>
      Number((await eachInTurn(index).get("/companies", "no")).headers.get("x-ratelimit-remaining"))
    const first = await left(0)
    expect([await left(1), await left(0)]).toEqual([first - 1, first - 2])
  })

  test("a crawl whose pages come from both stays on the release it began on", async () => {
    const token = service.tokens.admin
    const ids: unknown[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await eachInTurn(page).get(`/tenements?page=${page}&per_page=20`, token)
      const { data, meta } = await readList(answer)
      expect(answer.headers.get("x-data-release")).toBe("1")
      ids.push(...data.map(({ id }) => id))
      pages = meta.total_pages
      if (page === 2) await service.publish(sampleFixtures({ ...sizes, tenements: 350 }))
    }
    expect(new Set(ids).size).toBe(sizes.tenements)
    expect(ids).toHaveLength(sizes.tenements)
    const fresh = await eachInTurn(0).get("/tenements", token)
    expect(fresh.headers.get("x-data-release")).toBe("2")
  })

  test("a crawl begun again through either shows the new release throughout", async () => {
    const token = service.tokens.admin
    const release = async (request: number, page: number) => {
      const answer = await eachInTurn(request).get(`/tenements?page=${page}&per_page=30`, token)
      return Number(answer.headers.get("x-data-release"))
    }
    const old = await release(0, 1)
    expect([await release(1, 2), await release(0, 3)]).toEqual([old, old])
    await service.publish(sampleFixtures(sizes))
    const shown = []
    for (const page of [1, 2, 2, 3, 4, 4, 5]) shown.push(await release(shown.length, page))
    expect(shown).toEqual(Array(7).fill(old + 1))
  })

  test("no token enters Redis, whole or in part", async () => {
    const token = await enterpriseToken()
    for (const { get } of processes) await get(`/tenements?per_page=5&api_key=${token}`, token)
    const keys = (await redis.cli("KEYS", "*")) as string[]
    expect(keys.length).toBeGreaterThan(3)
    const held = await Promise.all(keys.map((key) => redis.cli("DUMP", key)))
    for (const text of [...keys, ...held.map(String)])
      expect(text).not.toContain(token.slice(4, 16))
  })
})

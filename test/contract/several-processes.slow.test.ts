/** Services that share a database and a Redis behave as one. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sampleFixtures } from "../support/fixtures.ts"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList, readRecord } from "./bodies.ts"

sayIfLeftOut(import.meta.path)

const sizes = { companies: 30, tenements: 300, subsidiaries: 10, reports: 10 }
const limit = 60

describe.skipIf(!redisIsInstalled)("two services on one Redis and one database", () => {
  let redis: RedisServer
  let one: TestService
  let services: [TestService, TestService]

  beforeAll(async () => {
    redis = await redisServer()
    const settings = { REDIS_URL: redis.url }
    one = await testService({ records: sampleFixtures(sizes), settings })
    services = [one, await testService({ beside: one, settings })]
  })

  afterAll(async () => {
    for (const service of services.toReversed()) await service.stop()
    await redis.stop()
  })

  const get = (index: number, path: string, token: string) =>
    (services[index % 2] ?? one).get(path, { token })

  test("they admit together exactly the limit of 100 callers at once", async () => {
    const token = await one.issueWithLimit(limit)
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => get(index, "/companies/XXX", token)),
    )
    const statuses = responses.map(({ status }) => status)
    expect(statuses.filter((status) => status === 404)).toHaveLength(limit)
    expect(statuses.filter((status) => status === 429)).toHaveLength(100 - limit)
    const remaining = responses
      .filter(({ status }) => status === 404)
      .map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, n) => n))
  })

  test("a revoked token is refused by both on the next request", async () => {
    const token = await one.issueWithLimit(limit)
    const statuses = () =>
      Promise.all([0, 1].map(async (index) => (await get(index, "/companies/XXX", token)).status))
    expect(await statuses()).toEqual([404, 404])
    await one.revoke(token)
    expect(await statuses()).toEqual([401, 401])
  })

  test("usage is one, whichever is asked", async () => {
    // Enough for asking again and again until it shows.
    const limit = 10_000
    const token = await one.issueWithLimit(limit)
    for (let request = 0; request < 6; request++) await get(request, "/companies/XXX", token)
    for (const index of [0, 1]) {
      const { used, remaining } = await readRecord(await get(index, "/usage", token))
      expect([used, remaining]).toEqual([6, limit - 6])
    }
    await until(async () => {
      for (const { clock } of services) clock.advance(1_000)
      const shown = await readRecord(await get(0, "/usage", token))
      const hours = shown.requests_per_hour as { requests: number }[]
      return hours.reduce((sum, { requests }) => sum + requests, 0) === 6
    })
  })

  test("so is the bound of asking for it", async () => {
    const token = await one.issueWithLimit(4)
    const statuses: number[] = []
    for (let asked = 0; asked < 6; asked++) {
      statuses.push((await get(asked, "/usage", token)).status)
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429])
    expect((await get(0, "/companies/XXX", token)).status).toBe(404)
  })

  test("requests without a valid token share their address's window", async () => {
    const left = async (index: number) =>
      Number((await get(index, "/companies", "no")).headers.get("x-ratelimit-remaining"))
    const first = await left(0)
    expect([await left(1), await left(0)]).toEqual([first - 1, first - 2])
  })

  test("a crawl whose pages come from both has each record of its release once", async () => {
    const token = one.tokens.admin
    const ids: unknown[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const response = await get(page, `/tenements?page=${page}&per_page=20`, token)
      const { data, meta } = await readList(response)
      expect(response.headers.get("x-data-release")).toBe("1")
      ids.push(...data.map(({ id }) => id))
      pages = meta.total_pages
      if (page === 2) await one.publish(sampleFixtures({ ...sizes, tenements: 350 }))
    }
    expect([ids.length, new Set(ids).size]).toEqual([sizes.tenements, sizes.tenements])
  })

  test("a crawl begun again through either shows the new release throughout, with parallel readers", async () => {
    const token = one.tokens.admin
    const release = async (index: number, page: number) => {
      const response = await get(index, `/tenements?page=${page}&per_page=30`, token)
      return Number(response.headers.get("x-data-release"))
    }
    for (let round = 0; round < 4; round++) {
      const old = await release(round, 1)
      expect([await release(round + 1, 2), await release(round, 3)]).toEqual([old, old])
      await one.publish(sampleFixtures(sizes))
      expect(await release(round, 1)).toBe(old + 1)
      const pages = [2, 3, 4, 5, 6, 7, 8, 9]
      const shown = await Promise.all(pages.map((page) => release(page, page)))
      expect(shown).toEqual(pages.map(() => old + 1))
    }
  })

  test("no token enters Redis, whole or in part", async () => {
    const token = await one.issueWithLimit(limit)
    for (const index of [0, 1]) await get(index, `/tenements?per_page=5&api_key=${token}`, token)
    const keys = (await redis.cli("KEYS", "*")) as string[]
    expect(keys.length).toBeGreaterThan(3)
    const stored = await Promise.all(keys.map((key) => redis.cli("DUMP", key)))
    for (const text of [...keys, ...stored.map(String)]) {
      expect(text).not.toContain(token.slice(4, 16))
    }
  })
})

/**
 * Services that share a database and a Redis behave as one. While Redis is lost each keeps the limit
 * with its own windows, and all share windows again once Redis is back.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { callersOf, report } from "../faults/callers.ts"
import { sampleFixtures } from "../support/fixtures.ts"
import { type RedisServer, redisIsInstalled, redisServer } from "../support/redis.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { readList, readRecord, releaseOf } from "./bodies.ts"

const sizes = { companies: 30, tenements: 300, subsidiaries: 10, reports: 10 }
const limit = 60
const spentBefore = 10
/** How long Redis may be back before it is used again. */
const backWithinMs = 5_000

describe.skipIf(!redisIsInstalled)("Two services on one Redis and one database", () => {
  let redis: RedisServer
  let one: TestService
  let services: [TestService, TestService]

  const options = () => ({ settings: { REDIS_URL: redis.url } })

  beforeAll(async () => {
    redis = await redisServer({ password: "hunter2" })
    one = await testService({ records: sampleFixtures(sizes), ...options() })
    services = [one, await testService({ beside: one, ...options() })]
  })

  afterAll(async () => {
    for (const service of services.toReversed()) await service.stop()
    await redis.stop()
  })

  beforeEach(() => isShared())

  const get = (index: number, path: string, token: string) =>
    (services[index % 2] ?? one).get(path, { token })

  const condition = async ({ url }: TestService) =>
    ((await (await fetch(`${url}/readyz`)).json()) as { redis: string }).redis

  async function isShared(withinMs?: number): Promise<void> {
    for (const each of services) {
      await until(async () => (await condition(each)) === "responding", withinMs)
    }
  }

  /** How many of so many requests at once a service admits. */
  async function admits(of: TestService, times: number, token: string): Promise<number> {
    const responses = Array.from({ length: times }, () => of.get("/companies/XXX", { token }))
    const statuses = (await Promise.all(responses)).map(({ status }) => status)
    expect(statuses.filter((status) => status !== 404 && status !== 429)).toEqual([])
    return statuses.filter((status) => status === 404).length
  }

  test("All processes together admit exactly the limit to 100 concurrent callers", async () => {
    const token = await one.issueWithLimit(limit)
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, index) => get(index, "/companies/XXX", token)),
    )
    const remaining = responses
      .filter(({ status }) => status === 404)
      .map(({ headers }) => Number(headers.get("x-ratelimit-remaining")))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: limit }, (_, n) => n))
    expect(responses.filter(({ status }) => status === 429)).toHaveLength(100 - limit)
  })

  test("Every process shows the same usage and shares its limit", async () => {
    const token = await one.issueWithLimit(7)
    for (let request = 0; request < 6; request++) await get(request, "/companies/XXX", token)
    const statuses: number[] = []
    for (let each = 0; each < 8; each++) {
      const response = await get(each, "/usage", token)
      statuses.push(response.status)
      if (response.status !== 200) continue
      expect(await readRecord(response)).toMatchObject({ used: 6, remaining: 1 })
    }
    expect(statuses).toEqual([...Array(7).fill(200), 429])
  })

  test("Requests without a valid token share their address's window", async () => {
    const left = async (index: number) =>
      Number((await get(index, "/companies", "no")).headers.get("x-ratelimit-remaining"))
    const first = await left(0)
    expect([await left(1), await left(0)]).toEqual([first - 1, first - 2])
  })

  test("A crawl through both services has each record of its release once", async () => {
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

  test("A new crawl through either process shows the new release throughout", async () => {
    const token = one.tokens.admin
    const release = async (index: number, page: number) =>
      releaseOf(await get(index, `/tenements?page=${page}&per_page=30`, token))
    for (let round = 0; round < 2; round++) {
      const old = await release(round, 1)
      expect([await release(round + 1, 2), await release(round, 3)]).toEqual([old, old])
      await one.publish(sampleFixtures(sizes))
      expect(await release(round, 1)).toBe(old + 1)
      const pages = [2, 3, 4, 5, 6, 7, 8, 9]
      const shown = await Promise.all(pages.map((page) => release(page, page)))
      expect(shown).toEqual(pages.map(() => old + 1))
    }
  })

  test("No token enters Redis, whole or in part", async () => {
    const token = await one.issueWithLimit(limit)
    for (const index of [0, 1]) await get(index, `/tenements?per_page=5&api_key=${token}`, token)
    const keys = (await redis.cli("KEYS", "*")) as string[]
    expect(keys.length).toBeGreaterThan(3)
    const stored = await Promise.all(keys.map((key) => redis.cli("DUMP", key)))
    for (const text of [...keys, ...stored.map(String)]) {
      expect(text).not.toContain(token.slice(4, 16))
    }
  })

  const faults: [kind: string, lose: () => Promise<unknown>, mend: () => Promise<unknown>][] = [
    ["killed", () => redis.kill(), () => redis.restart()],
    [
      "full",
      () => redis.cli("CONFIG", "SET", "maxmemory", "1"),
      () => redis.cli("CONFIG", "SET", "maxmemory", "0"),
    ],
  ]

  test.each(faults)(
    "While Redis is %s no request fails, each process uses its own window, and both share again once it is back",
    async (fault, lose, mend) => {
      const token = await one.issueWithLimit(limit)
      const metric = async ({ url }: TestService) =>
        /^mds_redis_up (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
      const logged = () =>
        one.logLines
          .map((line): { event: string; level: string } => JSON.parse(line))
          .filter(({ event }) => event.startsWith("Redis"))
          .map(({ level }) => level)
      const before = logged().length
      expect(await admits(one, spentBefore, token)).toBe(spentBefore)
      const paths = ["/companies", "/tenements", "/reports?format=csv&all=true"]
      const callers = await callersOf({ url: one.url, token: one.tokens.admin, paths })
      const observed = callers.observe()
      await lose()
      // Never without a limit, and each remembers what it admitted itself before.
      const admitted = await Promise.all(services.map((each) => admits(each, 100, token)))
      expect(admitted).toEqual([limit - spentBefore, limit])
      for (const each of services) {
        await until(async () => (await condition(each)) === "lost")
        expect(await metric(each)).toBe("0")
      }
      await callers.stop()
      expect([...Object.keys(observed.statuses), ...observed.violations]).toEqual(["200"])
      const mendedMs = performance.now()
      await mend()
      await isShared(backWithinMs)
      report(`Redis ${fault}`, observed, performance.now() - mendedMs)
      for (const each of services) expect(await metric(each)).toBe("1")
      // A line of the log comes a little later than what it tells of.
      await until(() => logged().length >= before + 2)
      expect(logged().slice(before)).toEqual(["warn", "info"])
      // Whatever Redis knows, a process admits no more than the limit.
      expect(await Promise.all(services.map((each) => admits(each, 5, token)))).toEqual([0, 0])
      const another = await one.issueWithLimit(limit)
      const [first = 0, second = 0] = await Promise.all(
        services.map((each) => admits(each, 50, another)),
      )
      expect(first + second).toBe(limit)
    },
  )

  test("After Redis is flushed each process remembers its own requests, and both share later ones", async () => {
    const token = await one.issueWithLimit(limit)
    expect(await admits(one, spentBefore, token)).toBe(spentBefore)
    await redis.cli("FLUSHALL")
    const [first = 0, second = 0] = await Promise.all(
      services.map((each) => admits(each, 100, token)),
    )
    expect(first + second).toBeLessThanOrEqual(limit)
    expect(first).toBeLessThanOrEqual(limit - spentBefore)
  })

  test("A service that starts without Redis serves, reports that, and shares once Redis is there", async () => {
    await redis.kill()
    await using late = await testService({ beside: one, ...options() })
    expect(await condition(late)).toBe("lost")
    expect(await admits(late, 100, await one.issueWithLimit(limit))).toBe(limit)
    await redis.restart()
    await until(async () => (await condition(late)) === "responding", backWithinMs)
  })

  test("No log line and no metric contains the password", async () => {
    for (const { url, logLines } of services) {
      expect(logLines.join("")).not.toContain("hunter2")
      expect(await (await fetch(`${url}/metrics`)).text()).not.toContain("hunter2")
    }
  })
})

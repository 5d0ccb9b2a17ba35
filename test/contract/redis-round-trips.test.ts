/** A request costs one round trip to Redis, in which its page sequence changes only if it is admitted. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { sampleFixtures } from "../support/fixtures.ts"
import { type RedisServer, redisIsInstalled, redisServer, sayIfLeftOut } from "../support/redis.ts"
import { redisRelay } from "../support/relay.ts"
import { type TestService, testService } from "../support/service.ts"
import { readError, readList } from "./bodies.ts"

sayIfLeftOut(import.meta.path)

const sizes = { companies: 30, tenements: 300, subsidiaries: 10, reports: 10 }

describe.skipIf(!redisIsInstalled)("two services on one Redis", () => {
  let redis: RedisServer
  let relay: Awaited<ReturnType<typeof redisRelay>>
  let one: TestService
  let other: TestService

  beforeAll(async () => {
    redis = await redisServer()
    relay = await redisRelay(redis)
    // That a busy machine answers late must not make the services go on alone.
    const settings = { REDIS_URL: relay.url, REDIS_TIMEOUT_MS: "20000" }
    one = await testService({ records: sampleFixtures(sizes), settings })
    other = await testService({ beside: one, settings })
    // From here on the server knows the scripts.
    const token = await one.issueWithLimit(100)
    for (const path of ["/tenements", "/tenements", "/tenements?page=2"]) {
      await (await one.get(path, { token })).text()
    }
  })

  afterAll(async () => {
    await other.stop()
    await one.stop()
    relay.stop()
    await redis.stop()
  })

  /** The round trips of one request after the other, and the responses. */
  async function roundTripsOf(paths: string[], token: string, services = [one]) {
    const responses: Response[] = []
    const trips: number[] = []
    for (const [index, path] of paths.entries()) {
      const before = relay.roundTrips
      const service = services[index % services.length] ?? one
      const response = await service.get(path, { token })
      responses.push(new Response(await response.arrayBuffer(), response))
      trips.push(relay.roundTrips - before)
    }
    return { trips, responses }
  }

  const pagesOf = (list: string, from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, n) => `${list}page=${from + n}`)

  test("a record costs one, whether it is there or not", async () => {
    const token = await one.issueWithLimit(100)
    const { trips } = await roundTripsOf(["/companies/XXX", "/companies/XXX", "/nothing"], token)
    expect(trips).toEqual([1, 1, 1])
  })

  test("a list page asked for again costs one", async () => {
    const token = await one.issueWithLimit(100)
    const { trips } = await roundTripsOf(Array(10).fill("/tenements?per_page=7"), token)
    expect(trips.slice(1)).toEqual(Array(9).fill(1))
  })

  test("each later page costs one, whichever service read the page before", async () => {
    const token = await one.issueWithLimit(100)
    const list = "/tenements?per_page=10&"
    await roundTripsOf([`${list}page=1`], token)
    const { trips, responses } = await roundTripsOf(pagesOf(list, 2, 30), token, [other, one])
    expect(trips).toEqual(Array(29).fill(1))
    expect(responses.map(({ status }) => status)).toEqual(Array(29).fill(200))
  })

  test("a request with a fault counts, and costs one", async () => {
    const token = await one.issueWithLimit(100)
    const { trips, responses } = await roundTripsOf(
      ["/tenements?page=0", "/tenements?page=2&nope=1", "/companies/XXX"],
      token,
    )
    expect(trips).toEqual([1, 1, 1])
    expect(responses.map(({ status }) => status)).toEqual([400, 400, 404])
    expect(responses[2]?.headers.get("x-ratelimit-remaining")).toBe("97")
    const post = await one.get("/tenements?page=2", { token, method: "POST" })
    expect((await readError(post)).code).toBe("METHOD_NOT_ALLOWED")
    expect(post.headers.get("x-ratelimit-remaining")).toBe("96")
  })

  test("an account without a limit costs one for a list, and none for a record", async () => {
    const list = "/tenements?per_page=9&"
    await roundTripsOf([`${list}page=1`], one.tokens.admin)
    const { trips } = await roundTripsOf(
      [...pagesOf(list, 1, 4), "/companies/XXX"],
      one.tokens.admin,
    )
    expect(trips).toEqual([1, 1, 1, 1, 0])
  })

  test("a request that is denied changes no page sequence", async () => {
    const token = await one.issueWithLimit(3)
    const list = "/tenements?per_page=11&"
    await roundTripsOf(pagesOf(list, 1, 3), token, [other])
    const logs = async () => {
      const keys = (await redis.cli("KEYS", "mds:sequence-log:*")) as string[]
      return Promise.all(keys.sort().map((key) => redis.cli("LRANGE", key, "0", "-1")))
    }
    const before = await logs()
    // The first is denied by Redis, since this service has admitted none of the three.
    const { trips, responses } = await roundTripsOf(pagesOf(list, 4, 5), token)
    expect(responses.map(({ status }) => status)).toEqual([429, 429])
    expect(trips[0]).toBe(1)
    expect(await logs()).toEqual(before)
  })

  test("a page sequence stays on the release of its page 1 when another is published", async () => {
    const token = await one.issueWithLimit(100)
    const list = "/tenements?per_page=13&"
    const started = await roundTripsOf([`${list}page=1`, `${list}page=1`], token)
    const release = started.responses[1]?.headers.get("x-data-release")
    await one.publish(sampleFixtures({ ...sizes, tenements: 200 }))
    const later = await roundTripsOf(pagesOf(list, 2, 5), token, [other, one])
    expect(later.responses.map(({ headers }) => headers.get("x-data-release"))).toEqual(
      Array(4).fill(release),
    )
    expect(later.trips).toEqual([1, 1, 1, 1])
    const again = await roundTripsOf(pagesOf(list, 1, 2), token, [other, one])
    const newest = String(Number(release) + 1)
    expect(again.responses.map(({ headers }) => headers.get("x-data-release"))).toEqual([
      newest,
      newest,
    ])
    const [first = new Response()] = again.responses
    expect((await readList(first)).meta.total).toBe(200)
  })
})

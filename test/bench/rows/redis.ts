/**
 * What Redis costs: the same requests to a service with it and to one without. They are those of an
 * account with a limit, since only its windows are in Redis.
 */
import { redisRelay } from "../../support/relay.ts"
import { call } from "../callers.ts"
import type { Environment } from "../environment.ts"
import type { Row } from "../row.ts"
import { asking, listPage, measureRates } from "../sides.ts"

const sequentialRequests = 300

const firstId = async ({ sql }: Environment): Promise<string> => {
  const [first] = await sql<{ id: string }[]>`select id from tenements order by md5(id) limit 1`
  if (!first) throw new Error("There are no tenements")
  return `/api/v1/tenements/${encodeURIComponent(first.id)}`
}

const rateRow = (
  name: string,
  what: string,
  pathOf: (environment: Environment) => Promise<string>,
): Row => ({
  name,
  work: `${what} with Redis, beside the same without`,
  needs: ["wrk", "redis-server"],
  targets: [
    { figure: "ours", over: "without", atLeast: 0.9 },
    { figure: "CPU of ours", over: "CPU of without" },
  ],
  run: async (environment) => {
    const headers = { Authorization: `Bearer ${await environment.countedToken()}` }
    const path = await pathOf(environment)
    const redis = await environment.redis()
    const with_ = await environment.freshService({ REDIS_URL: redis.url })
    const without = await environment.freshService()
    const figures = await measureRates(environment, {
      ours: asking(environment, with_, path, headers),
      without: asking(environment, without, path, headers),
    })
    return { figures }
  },
})

const roundTrips: Row = {
  name: "redis-round-trips",
  work: "round trips to Redis for each request",
  needs: ["redis-server"],
  targets: [
    { figure: "a list page", atMost: 1.05 },
    { figure: "one record", atMost: 1.05 },
    { figure: "a crawl's page", atMost: 1.05 },
  ],
  run: async (environment) => {
    const redis = await environment.redis()
    const relay = await redisRelay(redis)
    const token = await environment.countedToken()
    const service = await environment.freshService({
      REDIS_URL: relay.url,
      // A slow relay must not turn the service to its own windows.
      REDIS_TIMEOUT_MS: "5000",
    })
    const each = async (targets: string[]) => {
      await call(service.url, token, targets.slice(0, 20))
      const before = relay.roundTrips
      await call(service.url, token, targets)
      return { unit: "" as const, samples: [(relay.roundTrips - before) / targets.length] }
    }
    const repeated = (path: string) => Array<string>(sequentialRequests).fill(path)
    try {
      return {
        figures: {
          "a list page": await each(repeated(listPage)),
          "one record": await each(repeated(await firstId(environment))),
          "a crawl's page": await each(
            repeated("").map((_, index) => `/api/v1/tenements?per_page=10&page=${index + 1}`),
          ),
        },
      }
    } finally {
      await environment.endRow()
      relay.stop()
    }
  },
}

export const redisRows = [
  rateRow("redis-page", "a list page asked for again", async () => listPage),
  rateRow("redis-record", "one record", firstId),
  roundTrips,
]

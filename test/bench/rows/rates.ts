/** Rates of requests under load, and the CPU time that each takes. */
import { cacheSizes } from "../../../src/data/db/cache.ts"
import { redisServer } from "../../support/redis.ts"
import type { Row } from "../bench.ts"
import { call, wrk } from "../clients.ts"
import type { Environment } from "../environment.ts"
import type { ServerProcess } from "../processes.ts"
import { type Measure, rounds } from "../rounds.ts"

const listPage = "/api/v1/tenements"
const needs = ["wrk"]

/** As `CACHE_MEMORY_MB` is by default. */
const defaultCacheBytes = 64 * 1024 * 1024

interface RateOptions {
  targets: readonly string[]
  /** Read once before the load. */
  readFirst?: readonly string[]
  /** Beside the services of the checkouts. */
  peers?: readonly ("bare" | "hono" | "hono with a cache")[]
  ifNoneMatch?: boolean
}

/** Puts the service of each checkout and its peers under load. */
async function measureRates(
  environment: Environment,
  { targets, readFirst = [], peers = [], ifNoneMatch = false }: RateOptions,
) {
  const { scratch, seconds, ours } = environment
  const sides: Record<string, Measure> = {}
  const add = async (name: string, server: ServerProcess, token: string) => {
    await call(server.url, token, readFirst)
    const bearer = { Authorization: `Bearer ${token}` }
    const response = await fetch(server.url + targets[0], { headers: bearer })
    const condition = ifNoneMatch && { "If-None-Match": response.headers.get("etag") ?? "" }
    const headers = { ...bearer, ...condition }
    sides[name] = wrk(scratch, { server, targets, headers, seconds })
  }
  for (const checkout of environment.checkouts) {
    const service = await checkout.start()
    await add(checkout.name, service, await checkout.token())
    if (checkout !== ours || !peers.includes("bare")) continue
    await add("bare", await environment.bare(service, targets[0] ?? ""), await ours.token())
  }
  if (peers.includes("hono")) await add("hono", await environment.hono(), await ours.token())
  if (peers.includes("hono with a cache")) {
    const { responses } = cacheSizes(defaultCacheBytes)
    const settings = { CACHE_BYTES: String(responses) }
    await add("hono with a cache", await environment.hono(settings), await ours.token())
  }
  return rounds(environment.rounds, sides)
}

const mostKeys = 300_000
const keysReadAgain = 500

const recordPaths = async ({ sql }: Environment, limit: number): Promise<string[]> => {
  const found = await sql<{ id: string }[]>`
    select id from tenements order by md5(id) limit ${limit}`
  return found.map(({ id }) => `${listPage}/${encodeURIComponent(id)}`)
}

interface FilteredList {
  state: string
  status: string
  total: number
}

const perPage = 50

const pagePath = ({ state, status }: FilteredList, page: number) =>
  `${listPage}?state=${state}&status=${encodeURIComponent(status)}&page=${page}`

/** Lists are equally likely, and so are the pages of each. Their totals are counted before the load. */
const randomPage: Row = {
  name: "random-page",
  work: "A random page of a random state and status, mostly from PostgreSQL",
  needs,
  run: async (environment) => {
    const lists = await environment.sql<FilteredList[]>`
      select state, status, count(*)::int as total from tenements
      where status is not null group by state, status`
    const targets = Array.from({ length: 100_000 }, () => {
      const list = lists[Math.floor(Math.random() * lists.length)]
      if (!list) throw new Error("There are no tenements")
      return pagePath(list, 1 + Math.floor(Math.random() * Math.ceil(list.total / perPage)))
    })
    const readFirst = lists.map((list) => pagePath(list, 1))
    return measureRates(environment, { targets, readFirst })
  },
}

const redisPage: Row = {
  name: "redis-page",
  work: "A list page again, with Redis",
  needs: ["wrk", "redis-server"],
  run: async (environment) => {
    const { scratch, seconds, ours } = environment
    const redis = await redisServer()
    const headers = { Authorization: `Bearer ${await ours.token("counted", { limit: 1_000_000 })}` }
    const side = async (settings: Record<string, string>) =>
      wrk(scratch, { server: await ours.start(settings), targets: [listPage], headers, seconds })
    try {
      return await rounds(environment.rounds, {
        ours: await side({ REDIS_URL: redis.url }),
        "without Redis": await side({}),
      })
    } finally {
      await environment.endRow()
      await redis.stop()
    }
  },
}

export const rateRows: readonly Row[] = [
  {
    name: "page-again",
    work: "A list page asked for again (JSON, 50 records), from memory",
    needs,
    run: (environment) =>
      measureRates(environment, {
        targets: [listPage],
        peers: ["bare", "hono", "hono with a cache"],
      }),
  },
  {
    name: "page-not-modified",
    work: "The same with `If-None-Match`, from memory",
    needs,
    run: (environment) =>
      measureRates(environment, { targets: [listPage], peers: ["bare"], ifNoneMatch: true }),
  },
  {
    name: "record-first",
    work: "A record, random key, read first, from PostgreSQL",
    needs,
    run: async (environment) => {
      const targets = await recordPaths(environment, mostKeys)
      return measureRates(environment, { targets, peers: ["hono"] })
    },
  },
  {
    name: "record-again",
    work: `A record, one of ${keysReadAgain} read before, from memory`,
    needs,
    run: async (environment) => {
      const targets = await recordPaths(environment, keysReadAgain)
      const peers = ["bare", "hono", "hono with a cache"] as const
      return measureRates(environment, { targets, readFirst: targets, peers })
    },
  },
  randomPage,
  redisPage,
]

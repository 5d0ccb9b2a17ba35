/**
 * `GET /usage` reports the plan, the current window and the requests of the last 24 hours, and does
 * not count against the window.
 */

import { expect, test } from "bun:test"
import { setPlan } from "../../src/accounts/access/accounts.ts"
import { enterpriseLimit, serviceOfFile } from "../support/service.ts"
import { readError, readRecord, type Shown } from "./bodies.ts"

const hourMs = 3_600_000

const service = await serviceOfFile({ now: new Date("2026-03-01T10:59:58.250Z") })

interface HourlyUsage {
  requests_per_hour: { hour: string; requests: number }[]
}

async function usage(token: string) {
  const response = await service.get("/usage", { token })
  expect(response.status).toBe(200)
  return (await readRecord(response)) as Shown & HourlyUsage
}

const lastHour = ({ requests_per_hour }: HourlyUsage) => requests_per_hour.at(-1)?.requests ?? 0

const ask = async (times: number, token: string, path = "/companies/BIG") => {
  for (let request = 0; request < times; request++) await service.get(path, { token })
}

const inHours = (counted: Record<string, number>, lastHour: string) =>
  Array.from({ length: 24 }, (_, index) => {
    const startMs = Date.parse(lastHour) - (23 - index) * hourMs
    const hour = `${new Date(startMs).toISOString().slice(0, 19)}Z`
    return { hour, requests: counted[hour] ?? 0 }
  })

test("Usage shows the plan, the state of the window, and the requests of each hour of the last day", async () => {
  const token = await service.issue("hourly@example.com")
  const resetAt = Math.ceil((service.clock.now.getTime() + hourMs) / 1000)
  const untouched = { plan: "standard", limit: 1000, used: 0, remaining: 1000, reset_at: resetAt }
  expect(await usage(token)).toEqual({
    ...untouched,
    requests_per_hour: inHours({}, "2026-03-01T10:00:00Z"),
  })
  await ask(3, token)
  await ask(2, token, "/companies?page=0")
  service.clock.advance(3_000)
  await ask(1, token)
  expect(await usage(token)).toEqual({
    ...untouched,
    used: 6,
    remaining: 994,
    requests_per_hour: inHours(
      { "2026-03-01T10:00:00Z": 5, "2026-03-01T11:00:00Z": 1 },
      "2026-03-01T11:00:00Z",
    ),
  })
  service.clock.advance(23 * hourMs)
  const { requests_per_hour } = await usage(token)
  expect(requests_per_hour).toEqual(inHours({ "2026-03-01T11:00:00Z": 1 }, "2026-03-02T10:00:00Z"))
})

test("A request for usage does not count, and has the current headers of the window", async () => {
  const token = await service.issue("free@example.com")
  await ask(1, token)
  for (let times = 0; times < 20; times++) {
    const response = await service.get("/usage", { token })
    expect(response.headers.get("x-ratelimit-remaining")).toBe("999")
    expect(response.headers.get("x-ratelimit-limit")).toBe("1000")
    expect(response.headers.get("cache-control")).toBe("private, no-cache")
    expect(response.headers.get("content-type")).toBe("application/json")
  }
  expect((await service.get("/companies", { token })).headers.get("x-ratelimit-remaining")).toBe(
    "998",
  )
})

test("A limited caller can still read its usage", async () => {
  const token = service.tokens.enterprise
  await ask(enterpriseLimit + 2, token)
  const response = await service.get("/usage", { token })
  expect(response.status).toBe(200)
  expect(response.headers.get("retry-after")).toBeNull()
  const shown = await usage(token)
  expect([shown.plan, shown.limit, shown.used, shown.remaining]).toEqual([
    "enterprise",
    enterpriseLimit,
    enterpriseLimit,
    0,
  ])
  // Denied requests are none.
  expect(lastHour(shown)).toBe(enterpriseLimit)
})

test("Usage has its own limit of the window's size, which leaves the window unchanged", async () => {
  const limit = 5
  const token = await service.issueWithLimit(limit)
  await ask(1, token)
  for (let times = 0; times < limit; times++) {
    const response = await service.get("/usage", { token, method: times === 0 ? "HEAD" : "GET" })
    expect([response.status, response.headers.get("x-ratelimit-remaining")]).toEqual([200, "4"])
  }
  // The headers describe this bound, because its end decides when a retry succeeds.
  const resetMs = service.clock.now.getTime() + hourMs
  const refused = await service.get("/usage", { token })
  const error = await readError(refused)
  expect([refused.status, error.code]).toEqual([429, "RATE_LIMITED"])
  expect(error.details).toEqual({ reset_at: Math.ceil(resetMs / 1000) })
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    "x-ratelimit-limit": "5",
    "x-ratelimit-remaining": "0",
    "x-ratelimit-reset": String(error.details?.reset_at),
    "retry-after": "3600",
    "cache-control": "no-store",
  })
  const companies = await service.get("/companies", { token })
  expect([companies.status, companies.headers.get("x-ratelimit-remaining")]).toEqual([200, "3"])

  service.clock.advance(hourMs - 1)
  expect((await service.get("/usage", { token })).status).toBe(429)
  service.clock.advance(1)
  expect((await service.get("/usage", { token })).status).toBe(200)
})

test("An account's tokens share the limit of usage, and the admin plan has none", async () => {
  const email = "bounded@example.com"
  const [one, two] = [await service.issue(email), await service.issue(email)]
  await setPlan(service.editor, { email, plan: "enterprise", requestLimit: 2 })
  const statuses = async (tokens: string[]) => {
    const responses: number[] = []
    for (const token of tokens) responses.push((await service.get("/usage", { token })).status)
    return responses
  }
  expect(await statuses([one, two, one, two])).toEqual([200, 200, 429, 429])
  expect(await statuses([await service.issueWithLimit(1)])).toEqual([200])
  expect(await statuses(Array(10).fill(service.tokens.admin))).toEqual(Array(10).fill(200))
})

test("The admin plan has no used count, and its hours are counted", async () => {
  const before = lastHour(await usage(service.tokens.admin))
  await ask(2, service.tokens.admin)
  const { requests_per_hour, ...standing } = await usage(service.tokens.admin)
  expect(standing).toEqual({
    plan: "admin",
    limit: 2_147_483_647,
    used: null,
    remaining: 2_147_483_647,
    reset_at: expect.any(Number),
  })
  expect(lastHour({ requests_per_hour })).toBe(before + 2)
})

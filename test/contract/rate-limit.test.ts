/**
 * No sliding window of an hour admits more requests than the account's limit, and a client that
 * waits until `reset_at` succeeds (interface specification, section 8).
 */

import { afterEach, expect, test } from "bun:test"
import { setPlan } from "../../src/accounts/access/accounts.ts"
import { createToken } from "../../src/accounts/access/secret.ts"
import { enterpriseLimit, serviceOfFile, testService } from "../support/service.ts"
import { readError } from "./bodies.ts"

const windowMs = 3_600_000

const service = await serviceOfFile()

// Each test begins with empty windows.
afterEach(() => service.clock.advance(windowMs))

/** The status of a response and the window that its headers describe. */
async function ask(token: string | null, path = "/companies/BIG", init = {}) {
  const { status, headers } = await service.get(path, { token, ...init })
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`)),
  )
  return { status, limit, remaining, reset }
}

async function askTimes(times: number, token: string | null): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < times) {
    const batch = Math.min(40, times - statuses.length)
    statuses.push(
      ...(await Promise.all(Array.from({ length: batch }, () => ask(token)))).map(
        ({ status }) => status,
      ),
    )
  }
  return statuses
}

const setClock = (ms: number) => service.clock.advance(ms - service.clock.now.getTime())

test("1,000 requests of a standard account pass and the 1,001st gets 429 with reset_at", async () => {
  const { standard } = service.tokens
  const firstMs = service.clock.now.getTime()
  expect(await ask(standard)).toEqual({
    status: 200,
    limit: 1000,
    remaining: 999,
    reset: Math.ceil((firstMs + windowMs) / 1000),
  })
  service.clock.advance(10_000)
  expect(new Set(await askTimes(998, standard))).toEqual(new Set([200]))
  expect(await ask(standard)).toMatchObject({ status: 200, remaining: 0 })
  const denied = await service.get("/companies", { token: standard })
  expect(denied.status).toBe(429)
  const reset_at = Number((await readError(denied)).details?.reset_at)
  expect(reset_at).toBe(Math.ceil((firstMs + windowMs) / 1000))
  expect(denied.headers.get("x-ratelimit-limit")).toBe("1000")
  expect(denied.headers.get("x-ratelimit-remaining")).toBe("0")
  expect(denied.headers.get("x-ratelimit-reset")).toBe(String(reset_at))
  expect(denied.headers.get("retry-after")).toBe(String(3590))

  setClock(firstMs + windowMs - 1)
  expect((await ask(standard)).status).toBe(429)
  setClock(reset_at * 1000)
  // Only the first request has left by now: one more passes, and no second.
  expect(await ask(standard)).toMatchObject({ status: 200, remaining: 0 })
  expect((await ask(standard)).status).toBe(429)
})

test("Parallel callers are admitted exactly up to the limit", async () => {
  const settings = { RATE_WINDOW_SECONDS: "5" }
  await using trial = await testService({ beside: service, settings })
  const token = trial.tokens.enterprise
  const admittedAt: number[] = []
  for (let round = 0; round < 30; round++) {
    trial.clock.advance((round * 7919) % 1_500)
    const nowMs = trial.clock.now.getTime()
    const burst = Array.from({ length: round % 3 ? 3 : 50 }, () =>
      trial.get("/companies/BIG", { token }),
    )
    const statuses = (await Promise.all(burst)).map(({ status }) => status)
    for (const status of statuses) if (status === 200) admittedAt.push(nowMs)
    const inWindow = admittedAt.filter((atMs) => atMs > nowMs - 5_000).length
    expect(inWindow).toBeLessThanOrEqual(enterpriseLimit)
    if (statuses.includes(429)) expect(inWindow).toBe(enterpriseLimit)
  }
  expect(admittedAt.length).toBeGreaterThan(3 * enterpriseLimit)
})

test("Denied requests do not count", async () => {
  const { enterprise } = service.tokens
  const first = service.clock.now.getTime()
  await askTimes(enterpriseLimit, enterprise)
  for (let count = 0; count < 5; count++) {
    service.clock.advance(60_000)
    expect((await ask(enterprise)).status).toBe(429)
  }
  setClock(first + windowMs)
  expect(await ask(enterprise)).toMatchObject({ status: 200, remaining: enterpriseLimit - 1 })
})

test("Every request with a valid token counts, also 304, 400, 404 and 405; preflights do not", async () => {
  const { standard } = service.tokens
  const etag = (await service.get("/companies")).headers.get("etag") ?? ""
  const requests: [path: string, init: object, status: number][] = [
    ["/companies", {}, 200],
    ["/companies", { headers: { "If-None-Match": etag } }, 304],
    ["/companies?page=0", {}, 400],
    ["/companies/%ff", {}, 400],
    ["/companies/ZZZ", {}, 404],
    ["/nothing", {}, 404],
    ["/companies", { method: "HEAD" }, 200],
    ["/companies", { method: "POST" }, 405],
    ["/reports?format=csv&all=true", {}, 200],
  ]
  for (const [index, [path, init, status]] of requests.entries()) {
    expect(await ask(standard, path, init)).toMatchObject({ status, remaining: 999 - index })
    await ask(standard, path, { method: "OPTIONS" })
  }
})

test("An account's tokens share its window, and another account has its own", async () => {
  const { enterprise, standard } = service.tokens
  const second = await service.issue("Enterprise@example.com")
  await askTimes(enterpriseLimit - 1, enterprise)
  expect(await ask(second)).toMatchObject({ status: 200, remaining: 0 })
  expect((await ask(enterprise)).status).toBe(429)
  expect((await ask(second)).status).toBe(429)
  expect(await ask(standard)).toMatchObject({ status: 200, remaining: 999 })
})

test("The admin plan is unlimited, in numbers that every client can parse", async () => {
  const { admin } = service.tokens
  expect(new Set(await askTimes(1_100, admin))).toEqual(new Set([200]))
  const nowMs = service.clock.now.getTime()
  const unlimited = { status: 200, limit: 2147483647, remaining: 2147483647 }
  expect(await ask(admin)).toEqual({ ...unlimited, reset: Math.ceil((nowMs + windowMs) / 1000) })
})

test("An enterprise account has its own number", async () => {
  const { enterprise } = service.tokens
  const { limit, remaining } = await ask(enterprise)
  expect([limit, remaining]).toEqual([enterpriseLimit, enterpriseLimit - 1])
  const account = { email: "enterprise@example.com", plan: "enterprise" } as const
  await setPlan(service.editor, { ...account, requestLimit: 2 })
  expect(await ask(enterprise)).toMatchObject({ status: 200, limit: 2, remaining: 0 })
  expect((await ask(enterprise)).status).toBe(429)
  await setPlan(service.editor, { ...account, requestLimit: enterpriseLimit })
})

test("After 1,000 unauthenticated requests an address gets 429 instead of 401", async () => {
  await using fresh = await testService({ beside: service })
  const remaining: number[] = []
  while (remaining.length < 1_000) {
    const tokens = Array.from({ length: 40 }, (_, index) => (index % 2 ? createToken() : null))
    const sent = tokens.map((token) => fresh.get("/companies", { token }))
    for (const { status, headers } of await Promise.all(sent)) {
      expect(status).toBe(401)
      remaining.push(Number(headers.get("x-ratelimit-remaining")))
    }
  }
  expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, left) => left))
  const resetAt = Math.ceil((fresh.clock.now.getTime() + windowMs) / 1000)
  for (const token of [null, createToken(), "nonsense"]) {
    const denied = await fresh.get("/companies", { token })
    expect([denied.status, await readError(denied)]).toEqual([
      429,
      { code: "RATE_LIMITED", message: "Rate limit exceeded", details: { reset_at: resetAt } },
    ])
  }
  // A valid token is never rejected because of its address.
  const valid = await fresh.get("/companies", { token: fresh.tokens.standard })
  expect([valid.status, valid.headers.get("x-ratelimit-remaining")]).toEqual([200, "999"])
  fresh.clock.advance(windowMs)
  expect((await fresh.get("/companies", { token: null })).status).toBe(401)
})

test.each([
  ["0", ["1.1.1.1", "2.2.2.2", "9.9.9.9, 3.3.3.3"], [999, 998, 997]],
  ["1", ["1.1.1.1", "2.2.2.2", "9.9.9.9, 2.2.2.2", "2.2.2.2, 1.1.1.1"], [999, 999, 998, 998]],
])(
  "Behind %s trusted proxies only the addresses that they add to the header count",
  async (proxies, headers, left) => {
    const settings = { TRUSTED_PROXIES: proxies }
    await using behind = await testService({ beside: service, settings })
    const remaining: number[] = []
    for (const forwarded of headers) {
      const init = { token: null, headers: { "X-Forwarded-For": forwarded } }
      remaining.push(
        Number((await behind.get("/companies", init)).headers.get("x-ratelimit-remaining")),
      )
    }
    expect(remaining).toEqual(left)
  },
)

/** The explorer counts within the account's window, and gives nothing that the account could not ask the API. */
import { beforeEach, expect, test } from "bun:test"
import { holdLock } from "../../support/held-locks.ts"
import { enterpriseLimit, serviceOfFile, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { headingOf, textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

let person: SignedInVisitor

const service = await serviceOfFile()
// Each test begins with an empty window.
beforeEach(async () => {
  service.clock.advance(3_600_000)
  person = await signedInVisitor(service, "enterprise@example.com")
})

test("Pages and downloads count in the account's window", async () => {
  const paths = [
    "/explore/tenements",
    "/explore/tenements?state=XX",
    "/explore/companies/BIG",
    "/explore/companies/NOPE",
    "/explore/reports.csv",
  ]
  for (const path of paths) expect((await person.get(path)).status).not.toBe(429)
  // Neither a redirect nor the frame's own files count.
  await person.get("/explore")
  await person.get("/explore/tenements?state=")
  const token = service.tokens.enterprise
  const response = await service.get("/tenements", { token })
  expect(response.headers.get("x-ratelimit-remaining")).toBe(
    String(enterpriseLimit - paths.length - 1),
  )
  const usage = (await (await service.get("/usage", { token })).json()) as {
    data: { requests_per_hour: { requests: number }[] }
  }
  expect(usage.data.requests_per_hour.at(-1)?.requests).toBe(paths.length + 1)
})

test("Results while a person types do not count, up to a limit of their own", async () => {
  const token = service.tokens.enterprise
  const counted = async () => enterpriseLimit - (await remaining(token))
  const typed = (path: string) => person.get(path, { headers: { "X-Type-Ahead": "true" } })
  expect((await typed("/explore/search?q=ore")).status).toBe(200)
  for (let request = 1; request < enterpriseLimit; request++) {
    expect((await typed("/explore/tenements?holder=ore")).status).toBe(200)
  }
  expect(await counted()).toBe(0)
  await typed("/explore/tenements?holder=ore")
  expect(await counted()).toBe(1)
  for (const path of ["/explore/tenements.csv", "/explore/companies/BIG"]) await typed(path)
  expect(await counted()).toBe(3)
  service.clock.advance(3_600_000)
  for (let request = 0; request < enterpriseLimit; request++)
    await service.get("/tenements", { token })
  expect((await typed("/explore/tenements?holder=ore")).status).toBe(429)
})

/** Requests that are left, which reading them does not count. */
async function remaining(token: string): Promise<number> {
  const response = await service.get("/usage", { token })
  return Number(response.headers.get("x-ratelimit-remaining"))
}

test("A page says that the limit is reached, and when to retry", async () => {
  const freeMs = Math.ceil(service.clock.now.getTime() / 1000) * 1000 + 3_600_000
  for (let request = 0; request < enterpriseLimit; request++) {
    expect((await person.get("/explore/tenements")).status).toBe(200)
    service.clock.advance(60_000)
  }
  for (const path of ["/explore/tenements", "/explore/companies/BIG", "/explore/reports.csv"]) {
    const response = await person.get(path)
    const seconds = 3_600 - enterpriseLimit * 60
    expect([response.status, response.headers.get("retry-after")]).toEqual([429, String(seconds)])
    const page = await response.text()
    expect(headingOf(page)).toBe("Your requests are used up")
    expect(page).toContain(
      `Your account may make 7 requests an hour. Pages and programs count together. Open this page again at ${new Date(freeMs).toISOString().slice(11, 19)} UTC, in 53 minutes.`,
    )
  }
  expect((await service.get("/tenements", { token: service.tokens.enterprise })).status).toBe(429)
  expect((await service.get("/tenements")).status).toBe(200)
  service.clock.advance(3_600_000)
  expect((await person.get("/explore/tenements")).status).toBe(200)
})

test("A download is the API's export with a file name, and private to caches", async () => {
  const query = "state=WA&status=granted"
  const response = await person.get(`/explore/tenements.csv?${query}&bom=true`)
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/csv; charset=utf-8; header=present",
    "content-disposition": 'attachment; filename="tenements-state-wa-status-granted.csv"',
    "cache-control": "private, no-store",
    "x-data-release": "1",
    vary: "Cookie, Accept-Encoding",
  })
  expect(response.headers.get("access-control-allow-origin")).toBeNull()
  const api = await service.get(`/tenements?${query}&format=csv&all=true&bom=true`)
  expect(await response.bytes()).toEqual(await api.bytes())

  const belongsToCompany = await person.get("/explore/companies/BIG/subsidiaries.csv?as_of=1")
  const same = await service.get("/companies/BIG/subsidiaries?format=csv&all=true&as_of=1")
  expect(await belongsToCompany.text()).toBe(await same.text())
  expect((await person.get("/explore/subsidiaries.csv")).status).toBe(200)
  expect((await person.get("/explore/companies/NOPE/tenements.csv")).status).toBe(404)
  expect((await person.get("/explore/tenements.csv?page=2")).status).toBe(400)
})

test("Days of a download of announcements are those of Sydney, unless its address names another zone", async () => {
  const days = "from=2026-01-01&to=2026-03-01"
  for (const [sent, zone] of [
    ["", "Australia/Sydney"],
    ["&timezone=UTC", "UTC"],
    ["&timezone=Australia/Sydney", "Australia/Sydney"],
  ]) {
    const api = await service.get(`/reports?${days}&timezone=${zone}&format=csv&all=true`)
    const response = await person.get(`/explore/reports.csv?${days}${sent}`)
    expect(response.headers.get("etag")).toBe(api.headers.get("etag"))
    expect(await response.text()).toBe(await api.text())
  }
})

test("A download whose session ends while it waits leads to signing in, and back", async () => {
  await using own = await testService({ settings: { MAX_EXPORTS: "1" } })
  const visitor = await signedInVisitor(own, "standard@example.com")
  const lock = await holdLock(own.sql, "lock table tenements in access exclusive mode")
  const running = own.get("/tenements?format=csv&all=true")
  const count = async (name: string) =>
    new RegExp(`^${name} (\\d+)$`, "m").exec(await (await fetch(`${own.url}/metrics`)).text())?.[1]
  await until(async () => (await count("mds_exports_active")) === "1")
  const waiting = visitor.get("/explore/reports.csv?company=BIG")
  await until(async () => (await count("mds_exports_waiting")) === "1")
  await own.sql`delete from sessions`
  const response = await waiting
  expect([response.status, response.headers.get("location")]).toEqual([
    303,
    `/account/sign-in?${new URLSearchParams({ next: "/explore/reports.csv?company=BIG" })}`,
  ])
  await lock.release()
  await (await running).text()
})

test("Each program that needs a token shows its place once", async () => {
  for (const [path, lines] of [
    ["/explore/tenements", 4],
    ["/explore/companies/BIG", 1],
    ["/", 1],
  ] as const) {
    const page = await person.read(path)
    const withToken = page
      .split('<div class="copyable">')
      .slice(1)
      .filter((each) => /<code id="[^"]*">[^<]*YOUR_TOKEN/.test(each))
    expect(withToken).toHaveLength(lines)
    for (const each of withToken) {
      expect(textOf(each).split("Replace YOUR_TOKEN with one of your tokens")).toHaveLength(2)
    }
    expect(page.split("Replace <code>YOUR_TOKEN</code>")).toHaveLength(lines + 1)
  }
})

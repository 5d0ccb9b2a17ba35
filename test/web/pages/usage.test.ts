/** The usage page shows the window, the number of requests, and the last requests. */
import { expect, test } from "bun:test"
import { setPlan } from "../../../src/accounts/access/accounts.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { cellsOf, textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

const now = new Date("2026-03-01T10:20:30.250Z")

const service = await serviceOfFile({ now })

let people = 0

/** A person with a token. */
async function caller() {
  const email = `caller${++people}@example.com`
  const token = await service.issue(email)
  return { email, token, person: await signedInVisitor(service, email) }
}

/** The page once it shows this: a request is recorded just after its response. */
async function pageWith(
  person: SignedInVisitor,
  text: string,
  path = "/account/usage",
): Promise<string> {
  let page = ""
  await until(async () => {
    page = await person.read(path)
    return page.includes(text)
  })
  return page
}

test("The page shows used, remaining and limit, and does not count as a request", async () => {
  const { token, person } = await caller()
  expect(textOf(await person.read("/account/usage"))).toContain(
    "Used in the last hour 0 Remaining now 1,000 Limit per hour 1,000",
  )
  for (let n = 0; n < 3; n++) await service.get("/companies", { token })
  expect(textOf(await person.read("/account/usage"))).toContain(
    "Requests of your programs count, and so do pages and downloads of the explorer",
  )
  for (const path of ["/account/usage", "/account"]) {
    const text = textOf(await person.read(path))
    expect(text).toContain("Used in the last hour 3 Remaining now 997 Limit per hour 1,000")
    expect(text).toContain("Next request freed at 11:20:31 UTC.")
  }
})

test("The page describes a reached limit and a plan without limit in words", async () => {
  const { token, person, email } = await caller()
  await setPlan(service.editor, { email, plan: "enterprise", requestLimit: 2 })
  for (let n = 0; n < 3; n++) await service.get("/companies", { token })
  const page = await pageWith(person, "429 Too Many Requests")
  expect(textOf(page)).toContain(
    "The limit is reached: the service rejects requests with 429. Next request freed at 11:20:31 UTC.",
  )
  await setPlan(service.editor, { email, plan: "admin", requestLimit: null })
  expect(textOf(await person.read("/account/usage"))).toContain("The admin plan has no limit.")
})

test("The chart and the table show requests by hour, day and token", async () => {
  const { token, person } = await caller()
  const sheet = await service.issue(person.email)
  await service.sql`update tokens set name = 'sheet' where prefix = ${sheet.slice(0, 12)}`
  for (let n = 0; n < 2; n++) await service.get("/companies", { token })
  await service.get("/companies", { token: sheet })
  const page = await person.read("/account/usage")
  const hours = cellsOf(page, "Last 24 hours")
  const days = cellsOf(page, "Last 30 days")
  expect([hours.length, hours[0], hours[1]]).toEqual([
    24,
    ["2026-03-01 10:00", "3"],
    ["2026-03-01 09:00", "0"],
  ])
  expect([days.length, days[0], days[29]]).toEqual([30, ["2026-03-01", "3"], ["2026-01-31", "0"]])
  expect(cellsOf(page, "Requests by token")).toEqual([
    ["test", "2", "2"],
    ["sheet", "1", "1"],
  ])
  expect(page).toContain("<p>3 requests. The busiest hour is 2026-03-01 10:00, with 3.</p>")
  expect(page).not.toMatch(/ style=/)
})

test("The last requests show time, status in words, target without the token, and the id of the response", async () => {
  const { token, person } = await caller()
  const ids: string[] = []
  const ask = async (path: string, init = {}) => {
    const response = await service.get(path, { token, ...init })
    ids.push(response.headers.get("x-request-id") ?? "")
    // More than a request takes, and after it was recorded.
    await service.logged()
    service.clock.advance(60_000)
  }
  await ask("/companies?search=<b>&page=2")
  await ask("/companies/NOPE")
  await ask(`/companies?page=0&api_key=${token}`, { token: null })
  await ask("/companies", { method: "HEAD" })
  const page = await pageWith(person, ids[3] ?? "")
  const rows = cellsOf(page, "Requests, the newest first")
  const time = expect.stringMatching(/^2026-03-01 10:2\d:(29|30)$/)
  const ms = expect.stringMatching(/^\d+\.\d$/)
  expect(rows).toEqual([
    [time, "200 OK", "HEAD /api/v1/companies", ms, "test", String(ids[3])],
    [time, "400 Bad Request", "GET /api/v1/companies?page=0", ms, "test", String(ids[2])],
    [time, "404 Not Found", "GET /api/v1/companies/NOPE", ms, "test", String(ids[1])],
    [time, "200 OK", "GET /api/v1/companies?search=%3Cb%3E&page=2", ms, "test", String(ids[0])],
  ])
  expect(page).not.toContain(token)
})

test("Pages of the explorer are among the last requests, other pages are not", async () => {
  const { person } = await caller()
  const shown = await person.get("/explore/tenements?state=WA")
  const id = shown.headers.get("x-request-id") ?? ""
  await person.read("/account/tokens")
  const page = await pageWith(person, id)
  expect(cellsOf(page, "Requests, the newest first")).toEqual([
    [
      expect.any(String),
      "200 OK",
      "GET /explore/tenements?state=WA",
      expect.any(String),
      "Explorer",
      id,
    ],
  ])
  const visitor = await fetch(`${service.url}/explore/tenements`, { redirect: "manual" })
  expect(visitor.status).toBe(303)
})

test("Requests of others, with unknown tokens and for account pages are not listed", async () => {
  const [one, other] = [await caller(), await caller()]
  const revoked = await service.issue(one.email)
  await service.revoke(revoked)
  for (const token of [revoked, `mds_${"0".repeat(49)}`]) {
    expect((await service.get("/companies", { token })).status).toBe(401)
  }
  await one.person.read("/account")
  const mine = await service.get("/companies", { token: one.token })
  const page = await pageWith(one.person, mine.headers.get("x-request-id") ?? "")
  expect(cellsOf(page, "Requests, the newest first")).toHaveLength(1)
  expect(textOf(await other.person.read("/account/usage"))).toContain(
    "No request was made in the last 30 days.",
  )
})

test("Requests to another process are listed once it has stopped, and after a restart", async () => {
  const { token, person, email } = await caller()
  const other = await testService({ beside: service, now })
  const ids: string[] = []
  for (const each of [service, other, other]) {
    const response = await each.get("/companies", { token })
    ids.push(response.headers.get("x-request-id") ?? "")
  }
  await other.stop()
  const check = (page: string) => {
    for (const id of ids) expect(page).toContain(id)
    expect(cellsOf(page, "Requests, the newest first")).toHaveLength(3)
    expect(cellsOf(page, "Last 24 hours")[0]?.[1]).toBe("3")
    expect(cellsOf(page, "Requests by token")).toEqual([["test", "3", "3"]])
  }
  check(await pageWith(person, ids[0] ?? ""))
  // As after a restart, nothing of it is in this process's memory.
  await until(async () => {
    const [row] = await service.sql`select count(*)::int as n from recent_requests r
      join accounts a on a.id = r.account_id where email = ${email}`
    return row?.n === 3
  })
  await using restarted = await testService({ beside: service, now })
  check(await (await signedInVisitor(restarted, email)).read("/account/usage"))
})

/** Admins see and change accounts; for everyone else their pages are not there. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

let service: TestService
let admin: SignedInVisitor

beforeAll(async () => {
  service = await testService({ now: new Date("2026-03-01T10:20:30Z") })
  admin = await signedInVisitor(service, "admin@example.com")
})

afterAll(() => service.stop())

let people = 0
const someone = () => signedInVisitor(service, `someone${++people}@example.com`)

const account = async ({ accountId }: SignedInVisitor) => {
  const [row] =
    await service.sql`select plan, request_limit, disabled_at from accounts where id = ${accountId}`
  return row
}

test("for others, signed in or not, each page of admins is as an unknown path, and changes nothing", async () => {
  const [person, target] = [await someone(), await someone()]
  const before = await account(target)
  const seen = async (path: string, method: string) => {
    const response = await (method === "POST"
      ? person.post(path, { plan: "admin" })
      : person.get(path))
    const headers = Object.fromEntries(response.headers)
    for (const name of ["date", "x-request-id", "content-length"]) delete headers[name]
    const text = (await response.text()).replace(/Request id <code>.*?<\/code>/, "")
    return { status: response.status, headers, text }
  }
  const unknown = await seen("/account/nothing-here", "GET")
  expect(unknown.status).toBe(404)
  const { accountId } = target
  for (const path of [
    "/account/admin",
    "/account/admin?search=a",
    `/account/admin/${accountId}`,
    "/account/admin/999999999",
  ]) {
    expect(await seen(path, "GET")).toEqual(unknown)
  }
  for (const action of ["plan", "disable", "enable", "nothing"]) {
    expect(await seen(`/account/admin/${accountId}/${action}`, "POST")).toEqual(unknown)
  }
  expect(await account(target)).toEqual(before)
  expect(await person.read("/account")).not.toContain("/account/admin")
  expect(await admin.read("/account")).toContain("/account/admin")
  expect((await fetch(`${service.url}/account/admin`, { redirect: "manual" })).status).toBe(303)
})

test("accounts are searched, listed with their figures, and opened", async () => {
  const person = await someone()
  const token = await service.issue(person.email)
  await service.get("/companies", { token })
  const list = await admin.read(
    `/account/admin?search=${encodeURIComponent(person.email.toUpperCase())}`,
  )
  expect(textOf(list)).toContain("1 account whose email address contains")
  expect(list).toContain(`href="/account/admin/${person.accountId}"`)
  const page = textOf(await admin.read(`/account/admin/${person.accountId}`))
  expect(page).toContain("On the standard plan, limit per hour: 1,000")
  expect(page).toContain(token.slice(0, 12))
  expect(page).toContain("1 request, none of them from spreadsheets")
  expect(textOf(await admin.read("/account/admin?search=nobody%25"))).toContain(
    "No account has such an email address.",
  )
})

test("no text in the address of the list makes it fail", async () => {
  for (const query of ["after=%00", "search=%00", "search=%ff", "search=a&search=b", "after=zzz"]) {
    expect([query, (await admin.get(`/account/admin?${query}`)).status]).toEqual([query, 200])
  }
})

test("what is searched for is shown as text", async () => {
  const page = await admin.read(`/account/admin?search=${encodeURIComponent('"><script>x')}`)
  expect(page).not.toContain("<script>x")
  expect(page).toContain("&lt;script&gt;x")
})

test("a plan and a limit are changed from the next request on", async () => {
  const person = await someone()
  const token = await service.issue(person.email)
  const limitOf = async () =>
    (await service.get("/companies", { token })).headers.get("x-ratelimit-limit")
  expect(await limitOf()).toBe("1000")
  const path = `/account/admin/${person.accountId}`
  const changed = await admin.post(`${path}/plan`, { plan: "enterprise", limit: "70" })
  expect([changed.status, changed.headers.get("location")]).toEqual([303, `${path}?saved`])
  expect(await limitOf()).toBe("70")
  for (const [fields, message] of [
    [{ plan: "enterprise", limit: "" }, "The enterprise plan requires a limit."],
    [{ plan: "enterprise", limit: "0" }, "The limit is a number of requests per hour"],
    [{ plan: "enterprise", limit: "1e3" }, "The limit is a number of requests per hour"],
    [{ plan: "gold", limit: "" }, "The limit is a number of requests per hour"],
  ] as const) {
    const refused = await admin.post(`${path}/plan`, fields)
    expect([refused.status, textOf(await refused.text())]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  }
  // The field with the limit stays filled in.
  await admin.post(`${path}/plan`, { plan: "standard", limit: "70" })
  expect(await account(person)).toMatchObject({ plan: "standard", request_limit: null })
})

test("an account is disabled and enabled from the next request on, and ends its sessions' use", async () => {
  const person = await someone()
  const token = await service.issue(person.email)
  const path = `/account/admin/${person.accountId}`
  expect(await admin.read(path)).toContain(`Disable ${person.email}`)
  const statuses = async () => [
    (await service.get("/companies", { token })).status,
    (await person.get("/account")).status,
  ]
  expect((await admin.post(`${path}/disable`)).status).toBe(303)
  expect(await statuses()).toEqual([401, 303])
  const again = await admin.post(`${path}/disable`)
  expect([again.status, textOf(await again.text())]).toEqual([
    400,
    expect.stringContaining(`Account ${person.email} is already disabled.`),
  ])
  expect((await admin.post(`${path}/enable`)).status).toBe(303)
  expect(await statuses()).toEqual([200, 200])
})

test("admins can neither disable nor demote themselves, and are told so", async () => {
  const path = `/account/admin/${admin.accountId}`
  const sent = [
    [`${path}/disable`, {}, "You can't disable your own account."],
    [`${path}/plan`, { plan: "standard" }, "You can't take the admin plan from your own account."],
  ] as const
  for (const [to, fields, message] of sent) {
    const refused = await admin.post(to, fields)
    expect([refused.status, textOf(await refused.text())]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  }
  expect(await account(admin)).toMatchObject({ plan: "admin", disabled_at: null })
  expect(await admin.read(path)).not.toContain("Disable admin@example.com")
})

test("what an admin changes is in the account's audit log under the admin's email address", async () => {
  const person = await someone()
  await admin.post(`/account/admin/${person.accountId}/plan`, { plan: "enterprise", limit: "9" })
  const audit = textOf(await person.read("/account/audit"))
  expect(audit).toContain(
    "Account plan changed from standard to enterprise, limit 9 requests per hour admin@example.com",
  )
})

test("an admin who signed in more than an hour ago signs in again first, and nothing is changed", async () => {
  const person = await someone()
  const at = new Date(service.clock.now.getTime() - 3_700_000)
  const old = await signedInVisitor(service, "admin@example.com", { at })
  const before = await account(person)
  const page = `/account/admin/${person.accountId}`
  for (const [action, form] of [
    ["plan", { plan: "enterprise", limit: "5" }],
    ["disable", {}],
    ["enable", {}],
  ] as const) {
    const answer = await old.post(`${page}/${action}`, form)
    expect([action, answer.status, answer.headers.get("location")]).toEqual([
      action,
      303,
      `/account/sign-in?${new URLSearchParams({ next: page, reason: "again" })}`,
    ])
  }
  expect(await account(person)).toEqual(before)
  expect((await old.get(page)).status).toBe(200)
})

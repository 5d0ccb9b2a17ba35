/** In the pages, people create tokens that are shown once, and rename and revoke their own. */
import { expect, test } from "bun:test"
import { serviceOfFile } from "../../support/service.ts"
import { textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile({ now: new Date("2026-03-01T00:00:00.250Z") })

const tokenPattern = /mds_[0-9A-Za-z]{49}/

let people = 0
const someone = () => signedInVisitor(service, `person${++people}@example.com`)

async function create(person: SignedInVisitor, fields: Record<string, string> = {}) {
  const response = await person.post("/account/tokens", { name: "nightly", ...fields })
  const text = await response.text()
  return { response, text, token: tokenPattern.exec(text)?.[0] ?? "" }
}

const stored = (person: SignedInVisitor) =>
  service.sql`select id::int, name, expires_at, revoked_at from tokens
    where account_id = ${person.accountId} order by id`

const statusOf = async (token: string) => (await service.get("/companies", { token })).status

async function created(person: SignedInVisitor, fields: Record<string, string> = {}) {
  const { token } = await create(person, fields)
  const id = Number((await stored(person)).at(-1)?.id)
  return { id, token, prefix: token.slice(0, 12) }
}

test("A signed-out person is redirected to sign in, and changes nothing", async () => {
  for (const path of ["/account", "/account/tokens", "/account/usage", "/account/audit"]) {
    const response = await fetch(`${service.url}${path}`, { redirect: "manual" })
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      `/account/sign-in?${new URLSearchParams({ next: path })}`,
    ])
  }
  const count = async () => (await service.sql`select count(*)::int as n from tokens`)[0]?.n
  const before = await count()
  const posted = await fetch(`${service.url}/account/tokens`, {
    method: "POST",
    redirect: "manual",
    headers: { "Sec-Fetch-Site": "same-origin" },
    body: new URLSearchParams({ name: "x" }),
  })
  expect([posted.status, await count()]).toEqual([303, before])
})

test("A created token is shown once, with commands to try it, and works", async () => {
  const person = await someone()
  const { response, text, token } = await create(person, { lifetime: "30" })
  const [row] = await stored(person)
  const days = (Date.parse(row?.expires_at) - service.clock.now.getTime()) / 86_400_000
  expect(Math.round(days)).toBe(30)
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"])
  const read = textOf(text)
  expect(read).toContain("You won't see it again")
  expect(read).toContain(
    `curl -H 'Authorization: Bearer ${token}' '${service.url}/api/v1/companies?per_page=5'`,
  )
  const formula = `=IMPORTDATA("${service.url}/api/v1/companies?format=csv&per_page=5&api_key=${token}")`
  expect(read).toContain(formula)
  expect(read).toContain("Google cannot reach 127.0.0.1: the formula works where")
  expect(await statusOf(token)).toBe(200)
  const [, url = ""] = /IMPORTDATA\("([^"]+)"\)/.exec(formula) ?? []
  const sheet = await fetch(url)
  expect([sheet.status, sheet.headers.get("content-type")]).toEqual([
    200,
    "text/csv; charset=utf-8; header=present",
  ])
  for (const path of ["/account", "/account/tokens", "/account/usage", "/account/audit"]) {
    const page = await person.read(path)
    expect(page).not.toContain(token)
    expect(page).not.toMatch(tokenPattern)
  }
  expect(textOf(await person.read("/account/tokens"))).toContain(token.slice(0, 12))
})

test("An invalid name is reported beside the form, which keeps its values", async () => {
  const person = await someone()
  const { response, text } = await create(person, {
    name: `"><b>${"x".repeat(100)}`,
    lifetime: "90",
  })
  expect(response.status).toBe(400)
  expect(textOf(text)).toContain("The name of a token has at most 100 characters.")
  expect(text).toContain('value="&quot;&gt;&lt;b&gt;')
  expect(text).toContain('<option value="90" selected>')
  expect((await create(person, { name: " " })).text).toContain("A token requires a name.")
  expect(await stored(person)).toHaveLength(0)
})

test("Script in a name is shown as text on every page", async () => {
  const person = await someone()
  const name = `<script>alert(1)</script>"'&`
  const { text } = await create(person, { name })
  const [row] = await stored(person)
  const { token } = await created(person, { name })
  await service.get("/companies", { token })
  const paths = ["/tokens", `/tokens/${row?.id}`, "/usage", "/audit"]
  const pages = await Promise.all(paths.map((path) => person.read(`/account${path}`)))
  for (const page of [text, ...pages]) {
    expect(page).not.toContain("<script>alert")
    expect(page).toContain("&lt;script&gt;alert(1)&lt;/script&gt;")
  }
})

test("Only creating a token requires signing in again after an hour", async () => {
  const early = await someone()
  const { id } = await created(early)
  const late = await signedInVisitor(service, early.email, {
    at: new Date(service.clock.now.getTime() - 3_601_000),
  })
  const list = await late.read("/account/tokens")
  expect(list).not.toContain('name="lifetime"')
  expect(list).toContain('href="/account/sign-in?next=%2Faccount%2Ftokens&amp;reason=again"')
  const response = await late.post("/account/tokens", { name: "x & y", lifetime: "7" })
  const next = "/account/tokens?name=x+%26+y&lifetime=7"
  expect([response.status, response.headers.get("location")]).toEqual([
    303,
    `/account/sign-in?${new URLSearchParams({ next, reason: "again" })}`,
  ])
  const again = await early.read(next)
  expect(again).toContain('value="x &amp; y"')
  expect(again).toContain('<option value="7" selected>')
  expect(await stored(early)).toMatchObject([{ id, revoked_at: null }])
  expect((await late.post(`/account/tokens/${id}`, { name: "renamed" })).status).toBe(303)
  expect((await late.post(`/account/tokens/${id}/revoke`)).status).toBe(303)
})

test("A renamed token keeps working", async () => {
  const person = await someone()
  const { id, token } = await created(person)
  const saved = await person.post(`/account/tokens/${id}`, { name: " new " })
  expect(saved.headers.get("location")).toBe(`/account/tokens/${id}?saved`)
  expect(textOf(await person.read(`/account/tokens/${id}?saved`))).toContain("Saved.")
  expect(await stored(person)).toMatchObject([{ name: "new" }])
  const refused = await person.post(`/account/tokens/${id}`, { name: "" })
  expect([refused.status, textOf(await refused.text())]).toEqual([
    400,
    expect.stringContaining("A token requires a name."),
  ])
  expect(await statusOf(token)).toBe(200)
})

test("A revoked token is rejected from the next request on, and the page names it", async () => {
  const person = await someone()
  const { id, token, prefix } = await created(person)
  expect(await statusOf(token)).toBe(200)
  const page = await person.read(`/account/tokens/${id}`)
  expect(page).toContain(`<button class="danger">Revoke ${prefix}</button>`)
  expect(await statusOf(token)).toBe(200)
  const revoked = await person.post(`/account/tokens/${id}/revoke`)
  expect([revoked.status, revoked.headers.get("location")]).toEqual([
    303,
    `/account/tokens?revoked=${prefix}`,
  ])
  expect(await statusOf(token)).toBe(401)
  expect(textOf(await person.read(`/account/tokens?revoked=${prefix}`))).toContain(
    `Revoked ${prefix} (nightly)`,
  )
  // What the address says alone is not believed.
  expect(await person.read("/account/tokens?revoked=mds_00000000")).not.toContain("mds_00000000")
  const again = await person.post(`/account/tokens/${id}/revoke`)
  expect([again.status, textOf(await again.text())]).toEqual([
    400,
    expect.stringContaining("The token is already revoked."),
  ])
})

test("Another account's token gets the response of an unknown one, and is unchanged", async () => {
  const [owner, other] = [await someone(), await someone()]
  const { id, token } = await created(owner)
  const seen = async (path: string) => {
    const responses = [await other.get(path), await other.post(path, { name: "stolen" })]
    return Promise.all(
      responses.map(async (response) => [
        response.status,
        textOf(await response.text())
          .replace(/Request id \S+/, "")
          .replaceAll(/There is no token \d+/g, "There is no token"),
      ]),
    )
  }
  for (const action of ["", "/revoke"]) {
    const theirs = await seen(`/account/tokens/${id}${action}`)
    expect(theirs).toEqual(await seen(`/account/tokens/999999999${action}`))
    expect(theirs.map(([status]) => status)).toEqual([action === "" ? 404 : 405, 404])
  }
  expect(await statusOf(token)).toBe(200)
  expect(await stored(owner)).toMatchObject([{ name: "nightly", revoked_at: null }])
  expect((await other.get("/account/tokens/1e3")).status).toBe(404)
})

test("The audit shows changes newest first, with person and address, on pages", async () => {
  const person = await signedInVisitor(service, "audited@example.com")
  for (let n = 0; n < 55; n++) {
    await service.sql`update accounts set plan = 'enterprise', request_limit = ${n + 1}
      where id = ${person.accountId}`
  }
  const first = await person.read("/account/audit")
  const [, older = ""] = /href="(\/account\/audit\?before=\d+)"/.exec(first) ?? []
  const second = await person.read(older)
  const limits = (page: string) =>
    [...textOf(page).matchAll(/request_limit \S+ -> (\d+)/g)].map(([, limit]) => Number(limit))
  expect([...limits(first), ...limits(second)]).toEqual(
    Array.from({ length: 55 }, (_, n) => 55 - n),
  )
  const read = textOf(second)
  expect(read).toMatch(/session created signed_in_at .* audited@example\.com 192\.0\.2\.1/)
  expect(read).toMatch(/account created plan standard, email audited@example\.com database role/)
  expect(second).not.toContain("Older")
  for (const before of ["x", "-1", "1e3", ""]) {
    expect((await person.get(`/account/audit?before=${before}`)).status).toBe(404)
  }
})

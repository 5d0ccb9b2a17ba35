/**
 * A missing and an invalid token get the same 401, and a revoked token from the next
 * request on (interface specification, section 5; RFC 6750, section 3).
 */

import { expect, test } from "bun:test"
import { setDisabled } from "../../src/accounts/access/accounts.ts"
import { createToken } from "../../src/accounts/access/secret.ts"
import { routes } from "../support/routes.ts"
import { serviceOfFile } from "../support/service.ts"
import { requestText, sendRaw } from "./raw-http.ts"

const unauthorized = '{"error":{"code":"UNAUTHORIZED","message":"Invalid or missing API token"}}'
const absent = 'Bearer realm="mds"'
const invalid = 'Bearer realm="mds", error="invalid_token"'

const service = await serviceOfFile()
const revoked = await service.issue("standard@example.com")
const expired = await service.issue(
  "standard@example.com",
  new Date(service.clock.now.getTime() - 251),
)
await service.revoke(revoked)

const apiRoutes = routes
  .filter(({ path, method }) => path.startsWith("/api") && method !== "OPTIONS")
  .map(({ path, method }) => [method === "ALL" ? "GET" : method, path] as const)

test.each(apiRoutes)(
  "%s %s without a token is 401, existing record or not, sound query or not",
  async (_, path) => {
    const target = path.replace(/:(code|hash|id)/, "BIG").replace("*", "no/such/path")
    for (const query of ["", "?page=0&nonsense=1", "?format=csv&all=true", "?%ff=%zz"]) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH"]) {
        const response = await fetch(`${service.url}${target}${query}`, { method })
        expect([method, query, response.status]).toEqual([method, query, 401])
        expect(await response.text()).toBe(method === "HEAD" ? "" : unauthorized)
        expect(response.headers.get("www-authenticate")).toBe(absent)
      }
    }
  },
)

const { admin, standard } = service.tokens

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` })

const misspelt = (token: string) =>
  `${token.slice(0, 20)}${token[20] === "x" ? "y" : "x"}${token.slice(21)}`

const presented: [kind: string, headers: Record<string, string>, challenge: string][] = [
  ["nothing", {}, absent],
  ["an empty header", { Authorization: "" }, absent],
  ["a cookie", { Cookie: `api_key=${admin}` }, absent],
  ["a scheme without a token", { Authorization: "Bearer" }, absent],
  ["another scheme", { Authorization: `Basic ${btoa(`x:${admin}`)}` }, absent],
  ["a token without a scheme", { Authorization: admin }, absent],
  ["a text that is no token", bearer("hello"), invalid],
  ["a token never issued", bearer(createToken()), invalid],
  ["a token with a letter wrong", bearer(misspelt(admin)), invalid],
  ["a token in lower case", bearer(admin.toLowerCase()), invalid],
  ["a token cut short", bearer(admin.slice(0, -1)), invalid],
  ["a token and more", bearer(`${admin}x`), invalid],
  ["two tokens", bearer(`${admin}, ${standard}`), invalid],
  ["SQL", bearer("' or 1=1 --"), invalid],
  ["a revoked token", bearer(revoked), invalid],
  ["an expired token", bearer(expired), invalid],
]

test.each(presented)("%s gets the same 401", async (_, headers, challenge) => {
  const response = await sendRaw(service.port, requestText("/api/v1/companies", headers))
  expect(response.status).toBe(401)
  expect(response.body).toBe(unauthorized)
  expect(response.headers["www-authenticate"]).toBe(challenge)
})

const queries: [kind: string, query: string, challenge: string][] = [
  ["an empty api_key", "api_key=", absent],
  ["another name", `access_token=${admin}`, absent],
  ["another case", `API_KEY=${admin}`, absent],
  ["a wrong api_key", `api_key=${createToken()}`, invalid],
  ["a revoked api_key", `api_key=${revoked}`, invalid],
  ["an expired api_key", `api_key=${expired}`, invalid],
]

test.each(queries)("%s in the query gets the same 401", async (_, query, challenge) => {
  const response = await service.get(`/companies?${query}`, { token: null })
  expect(response.status).toBe(401)
  expect(await response.text()).toBe(unauthorized)
  expect(response.headers.get("www-authenticate")).toBe(challenge)
})

test("A token is taken from the header under any case of the scheme, and from api_key", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer \t "]) {
    const headers = { Authorization: `${scheme} ${admin}` }
    expect((await service.get("/companies", { token: null, headers })).status).toBe(200)
  }
  for (const query of [
    `api_key=${admin}`,
    `api%5Fkey=${encodeAll(admin)}`,
    `page=1&api_key=${admin}`,
  ]) {
    expect((await service.get(`/companies?${query}`, { token: null })).status).toBe(200)
  }
})

test("The header wins over api_key", async () => {
  expect((await service.get(`/companies?api_key=${createToken()}`)).status).toBe(200)
  expect((await service.get(`/companies?api_key=${admin}`, { token: revoked })).status).toBe(401)
  const headers = { Authorization: "Basic eDp5" }
  const basic = await service.get(`/companies?api_key=${admin}`, { token: null, headers })
  expect(basic.status).toBe(401)
})

test("A token is rejected from the next request after its revocation or expiry", async () => {
  const inAnHour = new Date(service.clock.now.getTime() + 3_600_000)
  const [first, second] = [
    await service.issue("a@example.com"),
    await service.issue("a@example.com", inAnHour),
  ]
  for (const token of [first, second]) {
    expect((await service.get("/companies", { token })).status).toBe(200)
  }
  await service.revoke(first)
  expect((await service.get("/companies", { token: first })).status).toBe(401)
  service.clock.advance(3_599_000)
  expect((await service.get("/companies", { token: second })).status).toBe(200)
  service.clock.advance(1_000)
  expect((await service.get("/companies", { token: second })).status).toBe(401)
})

test("A token in use needs no database read", async () => {
  const token = await service.issue("known@example.com")
  expect((await service.get("/companies", { token })).status).toBe(200)
  await service.sql.begin(async (sql) => {
    await sql`lock table tokens, accounts in access exclusive mode`
    for (let request = 0; request < 20; request++) {
      expect((await service.get("/companies", { token })).status).toBe(200)
    }
  })
})

test("A disabled account's tokens get 401 until it is enabled", async () => {
  const email = "switched@example.com"
  const token = await service.issue(email)
  for (const [disabled, status] of [
    [true, 401],
    [false, 200],
  ] as const) {
    await setDisabled(service.editor, email, disabled)
    const response = await service.get("/companies", { token })
    expect(response.status).toBe(status)
    if (disabled) expect(await response.text()).toBe(unauthorized)
  }
})

const encodeAll = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

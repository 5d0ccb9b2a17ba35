/** No token in any log line: whole, in part beyond its shown prefix, or in any encoding. */
import { expect, test } from "bun:test"
import { createToken } from "../../src/accounts/access/secret.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { requestText, sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("")

/** The ways in which a token can be put where it should not be. */
const targets: [place: string, target: (token: string) => string][] = [
  ["api_key", (token) => `/companies?api_key=${token}`],
  ["api_key, encoded", (token) => `/companies?api_key=${percent(token)}`],
  ["api_key, all encoded", (token) => `/companies?${percent("api_key")}=${percent(token)}`],
  ["api_key, twice", (token) => `/companies?api_key=${token}&api_key=${token}`],
  ["api_key and a bad escape", (token) => `/companies?api_key=${percent(token)}%ff`],
  ["api_key in another case", (token) => `/companies?API_KEY=${token}`],
  ["another name", (token) => `/companies?token=${token}`],
  ["another name, encoded twice", (token) => `/companies?token=${percent(percent(token))}`],
  ["another name and a bad escape", (token) => `/companies?search=%ff${percent(token)}`],
  ["a name", (token) => `/companies?${token}`],
  ["the path", (token) => `/companies/${token}`],
  ["the path, its mark encoded", (token) => `/companies/${percent("mds_")}${token.slice(4)}`],
  ["the path, encoded twice", (token) => `/companies/${percent(percent(token))}`],
  ["the path, encoded, with a bad escape", (token) => `/companies/%ff${percent(token)}`],
  ["an unknown path", (token) => `/${token}/${token}`],
  ["a path parameter", (token) => `/companies;api_key=${token}`],
  ["a fragment", (token) => `/companies#api_key=${token}`],
  ["a second query", (token) => `/companies?page=1?api_key=${token}`],
]

function expectNoSecret(token: string, lines: readonly string[]): void {
  expect(lines.length).toBeGreaterThan(0)
  const secret = token.slice(12)
  for (const line of lines) {
    let text = line
    for (let depth = 0; depth < 4; depth++) {
      for (let at = 0; at + 12 <= secret.length; at += 4) {
        expect(text.includes(secret.slice(at, at + 12)) && line).toBe(false)
      }
      text = text.replace(/%[0-9a-f]{2}/gi, (escaped) =>
        String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
      )
    }
  }
}

test.each(targets)(
  "A token in %s is not in the log, whether it is valid or not",
  async (_, target) => {
    for (const token of [service.tokens.standard, createToken()]) {
      for (const authorization of [{}, { Authorization: `Bearer ${service.tokens.admin}` }]) {
        const before = (await service.logged()).length
        await sendRaw(service.port, requestText(`/api/v1${target(token)}`, authorization))
        const lines = (await service.logged()).slice(before)
        expect(lines.length).toBeGreaterThan(0)
        expectNoSecret(token, lines)
      }
    }
  },
)

test("A token in any header is not in the log", async () => {
  const token = service.tokens.standard
  const before = (await service.logged()).length
  const names = [
    "Authorization",
    "Accept",
    "If-None-Match",
    "X-Forwarded-For",
    "User-Agent",
    "Cookie",
    "Referer",
    "Range",
  ]
  for (const name of names) {
    for (const value of [token, `Bearer ${token}`, `Bearer ${token}, Bearer ${token}`]) {
      const response = await sendRaw(
        service.port,
        requestText("/api/v1/companies", { [name]: value }),
      )
      expect(response.status).toBeLessThan(500)
    }
  }
  const lines = (await service.logged()).slice(before)
  expect(lines.length).toBeGreaterThan(0)
  expectNoSecret(token, lines)
})

test("A failed request is logged without its token", async () => {
  await using broken = await testService({ beside: service })
  await broken.sql`alter table reports rename to hidden`
  await broken.sql`alter table tokens rename column sha256 to hidden`
  const { standard } = broken.tokens
  for (const target of [
    `/reports?api_key=${standard}`,
    `/reports?search=${standard}&api_key=${standard}`,
  ]) {
    expect((await broken.get(target, { token: null })).status).toBe(500)
    expect((await broken.get(target, { token: standard })).status).toBe(500)
  }
  await broken.sql`alter table hidden rename to reports`
  await broken.sql`alter table tokens rename column hidden to sha256`
  const failures = (await broken.logged()).filter((line) => line.includes("request failed"))
  expect(failures).toHaveLength(4)
  expectNoSecret(standard, await broken.logged())
})

test("No response contains the token of its request", async () => {
  const { standard } = service.tokens
  for (const path of [
    "/companies?per_page=1",
    "/companies?per_page=1&format=csv",
    "/reports?search=drilling&format=atom&_=1",
    "/companies/ZZZ",
    "/companies?page=0",
  ]) {
    const joint = path.includes("?") ? "&" : "?"
    const response = await service.get(`${path}${joint}api_key=${standard}`, { token: null })
    const shown = JSON.stringify([...response.headers]) + (await response.text())
    expect(shown).not.toContain(standard.slice(0, 12))
    expect(shown).not.toContain("api_key")
  }
})

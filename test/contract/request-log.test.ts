/** What the log tells of a request. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { sendRaw } from "./raw-http.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

const lines = () =>
  service.logLines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request")

test("a path and a query are logged up to 500 characters each, whatever their escapes", async () => {
  for (const long of ["x", "%20", "%c3%a9", "%2541", "+", "a=1&"]) {
    const text = long.repeat(4_000 / long.length)
    const line = `/companies/${text}?search=${text}&api_key=${service.tokens.standard}`
    await sendRaw(
      service.port,
      `GET /api/v1${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.tokens.admin}\r\n\r\n`,
    )
    const { path, query } = lines().at(-1)
    expect(path).toStartWith("/api/v1/companies/")
    expect(query).toStartWith("search=")
    for (const logged of [path, query]) {
      expect(logged.length).toBeGreaterThan(400)
      expect(logged.length).toBeLessThanOrEqual(500)
    }
  }
  expect(service.logLines.join("")).not.toContain(service.tokens.standard.slice(4, 16))
})

test("of many requests without a valid token some are logged, the others counted", async () => {
  const before = lines().length
  for (let sent = 0; sent < 300; sent += 30) {
    const asked = Array.from({ length: 30 }, () => service.get("/companies", { token: null }))
    await Promise.all(asked)
  }
  expect(lines().length - before).toBeLessThanOrEqual(100)
  const known = lines().length
  await service.get("/companies/XXX")
  expect(lines().slice(known)).toMatchObject([{ status: 404, path: "/api/v1/companies/XXX" }])
})

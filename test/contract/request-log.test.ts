/** The log has a line for each request of a caller, of bounded length, and only some of requests without a token. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { sendRaw } from "./raw-http.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

const lines = () =>
  service.logLines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request")

/** The lines after so many others. A line comes after its response. */
async function linesAfter(before: number) {
  await until(async () => lines().length > before)
  return lines().slice(before)
}

test("a path and a query are logged up to 500 characters each, whatever their escapes", async () => {
  for (const long of ["x", "%20", "%c3%a9", "%2541", "+", "a=1&"]) {
    const text = long.repeat(4_000 / long.length)
    const before = lines().length
    const line = `/companies/${text}?search=${text}&api_key=${service.tokens.standard}`
    await sendRaw(
      service.port,
      `GET /api/v1${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.tokens.admin}\r\n\r\n`,
    )
    const [{ path, query }] = await linesAfter(before)
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
  await until(async () => lines().length === before + 100)
  await service.get("/companies/XXX")
  expect(await linesAfter(before + 100)).toMatchObject([
    { status: 404, path: "/api/v1/companies/XXX" },
  ])
})

test("probes and scrapes leave the budget of unauthenticated requests alone", async () => {
  const other = await testService()
  for (const path of ["/health/live", "/health/ready", "/metrics"]) {
    for (let sent = 0; sent < 50; sent++) await fetch(`${other.url}${path}`)
  }
  await other.get("/companies", { token: null })
  const logged = () => other.logLines.map((line) => JSON.parse(line))
  await until(async () => logged().length > 0)
  expect(logged()).toMatchObject([{ event: "request", status: 401 }])
  await other.stop()
})

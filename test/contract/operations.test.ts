/**
 * Health checks and metrics need no token, and reveal nothing that callers of the API could misuse.
 */

import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

const metrics = async () => {
  const answer = await fetch(`${service.url}/metrics`)
  expect([answer.status, answer.headers.get("cache-control")]).toEqual([200, "no-store"])
  return answer.text()
}

const metric = async (named: string) =>
  (await metrics())
    .split("\n")
    .filter((line) => line.startsWith(`${named} `))
    .map((line) => Number(line.slice(named.length)))

test("every metric has its help and its type, and is said once", async () => {
  const text = await metrics()
  const names = [...text.matchAll(/^([a-z_]+(?:\{.*\})?) \S+$/gm)].map(([, series]) => series)
  expect(new Set(names).size).toBe(names.length)
  const kinds = [...text.matchAll(/^# TYPE (\S+) (?:gauge|counter|histogram)$/gm)].map(
    ([, name]) => name,
  )
  expect(kinds.length).toBeGreaterThan(5)
  for (const name of kinds) expect(text).toMatch(new RegExp(`^# HELP ${name} .{10}`, "m"))
  const measured = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"))
  for (const line of measured) {
    const name = /^[a-z_]+/.exec(line)?.[0] ?? ""
    expect(kinds).toContain(kinds.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ""))
  }
  expect(text).toEndWith("\n")
})

test("windows are counted as they come and go, and asking for metrics adds none", async () => {
  const [before] = await metric('mds_windows{of="accounts"}')
  await service.get("/companies", { token: service.tokens.standard })
  expect(await metric('mds_windows{of="accounts"}')).toEqual([(before ?? 0) + 1])
  expect(await metric('mds_windows{of="accounts"}')).toEqual([(before ?? 0) + 1])
  expect((await metric('mds_windows_bytes{of="accounts"}'))[0]).toBeGreaterThan(0)
  expect(await metric('mds_windows_evicted_total{of="accounts"}')).toEqual([0])
})

test("requests without a valid token are counted by the status of their answers", async () => {
  const [before = 0] = await metric('mds_unauthenticated_requests_total{status="401"}')
  for (const token of [null, "no"]) await service.get("/companies", { token })
  await service.get("/companies", { token: service.tokens.standard })
  expect(await metric('mds_unauthenticated_requests_total{status="401"}')).toEqual([before + 2])
  expect(await metric('mds_unauthenticated_requests_total{status="429"}')).toEqual([0])
})

test("that notifications of changes stop and come again is told", async () => {
  const isListening = async (expected: string) => {
    const ready = await (await fetch(`${service.url}/readyz`)).json()
    return (ready as { notifications?: string }).notifications === expected
  }
  await until(() => isListening("listening"))
  expect(await metric("mds_notifications_listening")).toEqual([1])
  await service.sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'mds notifications'`
  const told = () =>
    service.logLines.filter((line) => line.includes("notifications of changes")).length
  await until(() => told() === 2)
  expect(await isListening("listening")).toBe(true)
})

test("neither metrics nor health tell of a token, an account or an address", async () => {
  const { standard } = service.tokens
  const host = /server_address="[^"]*"/g
  await service.get("/companies", { token: standard })
  await fetch(`${service.url}/metrics?api_key=${standard}`)
  for (const path of ["/metrics", "/readyz", "/livez", "/livez"]) {
    const answer = await fetch(`${service.url}${path}?api_key=${standard}`)
    // The host of the database is for operators, who alone see metrics.
    const told = JSON.stringify([...answer.headers]) + (await answer.text()).replace(host, "")
    for (const secret of [standard.slice(4, 16), "example.com", "127.0.0.1"]) {
      expect(told).not.toContain(secret)
    }
    expect(answer.headers.get("referrer-policy")).toBe("no-referrer")
  }
})

test("operations are for no other site's scripts: only the API has CORS headers", async () => {
  const cors = async (path: string, method = "GET") =>
    [...(await fetch(`${service.url}${path}`, { method })).headers.keys()].filter((name) =>
      name.startsWith("access-control"),
    )
  for (const path of ["/metrics", "/livez", "/readyz", "/", "/api/v10", "/none"]) {
    expect([path, await cors(path), await cors(path, "OPTIONS")]).toEqual([path, [], []])
  }
  for (const path of ["/api/v1", "/api/v1/", "/api/v1?page=1", "/api/v1/none"]) {
    expect(await cors(path)).toEqual([
      "access-control-allow-origin",
      "access-control-expose-headers",
    ])
  }
})

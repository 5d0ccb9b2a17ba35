/** The metrics count each export once, by how it truly ended. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"

let service: TestService

beforeAll(async () => {
  service = await testService({
    settings: { CACHE_MEMORY_MB: "0", MAX_EXPORTS: "1" },
  })
})

afterAll(() => service.stop())

/** The values of some series, by their names with labels, as the text has them. */
async function values(pattern: RegExp): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  const found = text.split("\n").flatMap((line) => {
    const [series = "", value] = line.split(" ")
    return pattern.test(series) ? [[series, Number(value)] as const] : []
  })
  return Object.fromEntries(found)
}

const counted = () => values(/^mds_exports_total|^mds_export_duration_seconds_count/)
const numberOf = async (name: string) => (await values(new RegExp(`^${name}$`)))[name]

/** What has been added to the counters, by the outcome, and the exports with a duration. */
async function added(work: () => Promise<void>): Promise<Record<string, number>> {
  const before = await counted()
  await work()
  await until(async () => (await numberOf("mds_exports_active")) === 0)
  const after = Object.entries(await counted())
  return Object.fromEntries(
    after.flatMap(([series, value]) => {
      const more = value - (before[series] ?? 0)
      const name = /outcome="(\w+)"/.exec(series)?.[1] ?? "with a duration"
      return more === 0 ? [] : [[name, more] as const]
    }),
  )
}

const path = "/reports?format=csv&all=true"

test("one that is cancelled while it waits for its turn has no duration", async () => {
  const receiver = new AbortController()
  const counts = await added(async () => {
    let running: Promise<Response> | undefined
    await service.sql.begin(async (sql) => {
      await sql`lock table reports in access exclusive mode`
      running = service.get(path)
      await until(async () => (await numberOf("mds_exports_active")) === 1)
      const waiting = service.get(path, { signal: receiver.signal }).catch(() => {})
      await until(async () => (await numberOf("mds_exports_waiting")) === 1)
      receiver.abort()
      await waiting
      await until(async () => (await numberOf("mds_exports_waiting")) === 0)
    })
    expect(await (await running)?.text()).toStartWith("hash,")
  })
  expect(counts).toEqual({ complete: 1, cancelled: 1, "with a duration": 1 })
})

test("one whose first rows cannot be read has failed", async () => {
  await service.sql`alter table reports rename to reports_away`
  const counts = await added(async () => {
    expect((await service.get(path)).status).toBeGreaterThanOrEqual(500)
  }).finally(() => service.sql`alter table reports_away rename to reports`)
  expect(counts).toEqual({ failed: 1 })
})

test("a HEAD request, an unchanged list and one that does not exist are no exports", async () => {
  const { headers } = await service.get(path, { method: "HEAD" })
  const ETag = headers.get("etag") ?? ""
  const counts = await added(async () => {
    for (const [of, init, status] of [
      [path, { method: "HEAD" }, 200],
      [path, { headers: { "If-None-Match": ETag } }, 304],
      ["/companies/ZZZZ/reports?format=csv&all=true", {}, 404],
    ] as const) {
      expect([of, (await service.get(of, init)).status]).toEqual([of, status])
    }
  })
  expect(counts).toEqual({})
})

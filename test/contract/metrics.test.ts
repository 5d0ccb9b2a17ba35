/**
 * The metrics show what the service did, by names and labels that a few clients cannot multiply, and
 * neither they nor health checks reveal anything that callers of the API could misuse.
 */
import { expect, test } from "bun:test"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"

const service = await serviceOfFile({ settings: { CACHE_MEMORY_MB: "0", MAX_EXPORTS: "1" } })

async function scrape(): Promise<string> {
  const response = await fetch(`${service.url}/metrics`)
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"])
  return response.text()
}

/** The values of a series by its labels, whatever their order: `{a="1",b="2"}`. */
async function valuesOf(name: string, having: Record<string, string> = {}): Promise<number[]> {
  const pairs = Object.entries(having).map(([label, value]) => `${label}="${value}"`)
  return (await scrape())
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => pairs.every((pair) => line.includes(pair)))
    .map((line) => Number(line.slice(line.lastIndexOf(" ") + 1)))
}

const countOf = async (name: string, having: Record<string, string> = {}) =>
  (await valuesOf(name, having)).reduce((sum, value) => sum + value, 0)

const duration = "http_server_request_duration_seconds_count"

test("Requests are counted by the pattern of their route, their method and their status", async () => {
  for (const [path, method, http_route, status] of [
    ["/companies", "GET", "/api/v1/companies", 200],
    ["/companies/BIG", "GET", "/api/v1/companies/:code", 200],
    ["/companies/XXX", "GET", "/api/v1/companies/:code", 404],
    ["/companies/BIG", "HEAD", "/api/v1/companies/:code", 200],
    ["/companies?nope=1", "GET", "/api/v1/companies", 400],
    ["/companies", "DELETE", "_OTHER", 405],
    ["/nope", "GET", "_OTHER", 404],
  ] as const) {
    const labels = {
      http_request_method: method,
      http_route,
      http_response_status_code: String(status),
    }
    const before = await countOf(duration, labels)
    expect([path, (await service.get(path, { method })).status]).toEqual([path, status])
    await until(async () => (await countOf(duration, labels)) === before + 1)
  }
})

test("Made-up paths, methods, tokens and parameters add no series", async () => {
  const series = async () => (await scrape()).split("\n").length
  const flood = async (id: number) => {
    await service.get(`/companies/X${id}?nope${id}=${id}`)
    await service.get(`/nope/${id}`)
    await fetch(`${service.url}/nope/${id}`, { method: "PROPFIND" })
    await service.get("/companies", { token: `mds_${id}` })
  }
  await flood(0)
  await until(async () => (await countOf(duration, { http_request_method: "_OTHER" })) > 0)
  const before = await series()
  await Promise.all(Array.from({ length: 200 }, (_, id) => flood(id + 1)))
  const unknown = { http_route: "_OTHER", http_response_status_code: "404" }
  await until(async () => (await countOf(duration, unknown)) >= 400)
  expect(await series()).toBe(before)
})

test("Probes and scrapes are not counted as requests", async () => {
  await service.get("/companies")
  const before = await countOf(duration)
  for (const path of ["/livez", "/readyz", "/metrics"]) {
    await fetch(`${service.url}${path}`)
  }
  expect(await countOf(duration)).toBe(before)
})

test("The size of a body is measured as sent", async () => {
  const labels = { http_route: "/api/v1/releases" }
  const name = "http_server_response_body_size_bytes"
  const before = await countOf(`${name}_sum`, labels)
  const response = await service.get("/releases", { headers: { "Accept-Encoding": "identity" } })
  const { byteLength } = await response.arrayBuffer()
  await until(async () => (await countOf(`${name}_count`, labels)) > 0)
  expect((await countOf(`${name}_sum`, labels)) - before).toBe(byteLength)
  const buckets = await valuesOf(`${name}_bucket`, labels)
  expect(buckets).toEqual(buckets.toSorted((a, b) => a - b))
  expect(buckets.at(-1)).toBe(await countOf(`${name}_count`, labels))
})

test("Errors are counted by their code", async () => {
  const before = await countOf("mds_errors_total", { error_type: "UNAUTHORIZED" })
  await service.get("/companies", { token: null })
  await until(
    async () => (await countOf("mds_errors_total", { error_type: "UNAUTHORIZED" })) === before + 1,
  )
  expect(await valuesOf("mds_errors_total", { error_type: "INTERNAL" })).toEqual([0])
})

test("A request is active until its response, and its statement's duration is measured", async () => {
  const lists = { db_client_connection_pool_name: "lists" }
  const statements = () => countOf("db_client_operation_duration_seconds_count", lists)
  const before = await statements()
  let response: Promise<Response> | undefined
  await service.sql.begin(async (sql) => {
    await sql`lock table companies in access exclusive mode`
    response = service.get("/companies?sort=name&per_page=2")
    // The other one is the scrape.
    await until(async () => (await countOf("http_server_active_requests")) === 2)
    await until(async () => (await countOf("db_client_connection_count", lists)) > 0)
  })
  expect((await response)?.status).toBe(200)
  expect(await countOf("http_server_active_requests")).toBe(1)
  expect(await countOf("db_client_connection_count", lists)).toBe(0)
  expect(await statements()).toBeGreaterThan(before)
  expect(await countOf("db_client_connection_wait_time_seconds_count", lists)).toBeGreaterThan(0)
})

test("Exports are counted by outcome with their records and bytes", async () => {
  const complete = { outcome: "complete" }
  const before = await countOf("mds_exports_total", complete)
  const [records, bytes] = [
    await countOf("mds_export_records_total"),
    await countOf("mds_export_bytes_total"),
  ]
  const response = await service.get("/companies?format=csv&all=true", {
    headers: { "Accept-Encoding": "identity" },
  })
  const text = await response.text()
  await until(async () => (await countOf("mds_exports_total", complete)) === before + 1)
  expect((await countOf("mds_export_bytes_total")) - bytes).toBe(Buffer.byteLength(text))
  expect((await countOf("mds_export_records_total")) - records).toBeGreaterThan(0)
  expect(await countOf("mds_exports_active")).toBe(0)
})

test("The newest release and the sources are read once a minute", async () => {
  service.clock.advance(60_000)
  expect(await countOf("mds_release")).toBe(1)
  await service.sql`
    insert into sources (name, resource, last_loaded_at, last_outcome, last_reason, totals)
    values ('asx-directory', 'companies', '2026-02-28T00:00:00Z', 'refused', 'too few',
      '{"refused": {"loads": 3, "seconds": 0.5}}')`
  service.clock.advance(59_000)
  expect(await valuesOf("mds_source_last_outcome")).toEqual([])
  service.clock.advance(1_000)
  const source = { source: "asx-directory", resource: "companies" }
  for (const [outcome, value] of [
    ["refused", 1],
    ["published", 0],
    ["unchanged", 0],
    ["failed", 0],
  ] as const) {
    expect(await valuesOf("mds_source_last_outcome", { ...source, outcome })).toEqual([value])
  }
  for (const [outcome, loads, seconds] of [
    ["refused", 3, 0.5],
    ["published", 0, 0],
  ] as const) {
    const of = { ...source, outcome }
    expect(await valuesOf("mds_source_loads_total", of)).toEqual([loads])
    expect(await valuesOf("mds_source_load_seconds_total", of)).toEqual([seconds])
  }
  expect(await valuesOf("mds_source_loaded_timestamp_seconds", source)).toEqual([
    Date.UTC(2026, 1, 28) / 1000,
  ])
  expect(await valuesOf("mds_source_changed_timestamp_seconds", source)).toEqual([])
  await service.sql`delete from sources`
})

test("A scrape returns earlier source values while the database is slow", async () => {
  service.clock.advance(60_000)
  expect(await countOf("mds_release")).toBe(1)
  await service.sql.begin(async (sql) => {
    await sql`lock table sources in access exclusive mode`
    service.clock.advance(60_000)
    const startedMs = performance.now()
    expect(await countOf("mds_release")).toBe(1)
    expect(performance.now() - startedMs).toBeLessThan(10_000)
  })
})

test("A blocked event loop is visible in the metrics", async () => {
  const delayed = async () =>
    (await countOf("mds_event_loop_delay_seconds_count")) -
    (await countOf("mds_event_loop_delay_seconds_bucket", { le: "0.25" }))
  const before = await delayed()
  Bun.sleepSync(600)
  await until(async () => (await delayed()) > before)
})

const every = "/reports?format=csv&all=true"

test("An export that is cancelled while it waits for its turn is counted once", async () => {
  const cancelled = () => countOf("mds_exports_total", { outcome: "cancelled" })
  const before = await cancelled()
  const receiver = new AbortController()
  let running: Promise<Response> | undefined
  await service.sql.begin(async (sql) => {
    await sql`lock table reports in access exclusive mode`
    running = service.get(every)
    await until(async () => (await countOf("mds_exports_active")) === 1)
    const waiting = service.get(every, { signal: receiver.signal }).catch(() => {})
    await until(async () => (await countOf("mds_exports_waiting")) === 1)
    receiver.abort()
    await waiting
    await until(async () => (await countOf("mds_exports_waiting")) === 0)
  })
  expect(await (await running)?.text()).toStartWith("hash,")
  expect((await cancelled()) - before).toBe(1)
})

test("An export whose first rows cannot be read counts as failed", async () => {
  const failed = () => countOf("mds_exports_total", { outcome: "failed" })
  const before = await failed()
  await service.sql`alter table reports rename to reports_away`
  expect((await service.get(every)).status).toBe(500)
  await service.sql`alter table reports_away rename to reports`
  expect((await failed()) - before).toBe(1)
})

test("Every metric has its help and its type, once", async () => {
  const text = await scrape()
  const names = [...text.matchAll(/^([a-z_]+(?:\{.*\})?) \S+$/gm)].map(([, series]) => series)
  expect(new Set(names).size).toBe(names.length)
  const kinds = [...text.matchAll(/^# TYPE (\S+) (?:gauge|counter|histogram)$/gm)].map(
    ([, name = ""]) => name,
  )
  for (const name of kinds) expect(text).toMatch(new RegExp(`^# HELP ${name} .{10}`, "m"))
  for (const line of text.split("\n").filter((each) => each !== "" && !each.startsWith("#"))) {
    const name = /^[a-z_]+/.exec(line)?.[0] ?? ""
    expect(kinds).toContain(kinds.includes(name) ? name : name.replace(/_(bucket|sum|count)$/, ""))
  }
})

test("Windows and unauthenticated requests are counted", async () => {
  const standing = async () => [
    await countOf("mds_windows", { of: "accounts" }),
    await countOf("mds_unauthenticated_requests_total", { status: "401" }),
  ]
  const [windows = 0, refused = 0] = await standing()
  await service.get("/companies", { token: service.tokens.standard })
  for (const token of [null, "no"]) await service.get("/companies", { token })
  expect(await standing()).toEqual([windows + 1, refused + 2])
  expect(await countOf("mds_windows_bytes", { of: "accounts" })).toBeGreaterThan(0)
})

test("Metrics and health show no token, account or address", async () => {
  const { standard } = service.tokens
  const host = /server_address="[^"]*"/g
  await service.get("/companies", { token: standard })
  for (const path of ["/metrics", "/readyz", "/livez", "/metrics"]) {
    const response = await fetch(`${service.url}${path}?api_key=${standard}`)
    // Only operators see metrics, so the host of the database may be shown.
    const shown = JSON.stringify([...response.headers]) + (await response.text()).replace(host, "")
    for (const secret of [standard.slice(4, 16), "example.com", "127.0.0.1"]) {
      expect(shown).not.toContain(secret)
    }
    expect(response.headers.get("referrer-policy")).toBe("no-referrer")
  }
})

test("Only the API has CORS headers", async () => {
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

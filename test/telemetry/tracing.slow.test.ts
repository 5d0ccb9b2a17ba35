/** Every request is a trace at the collector, with its steps below it and no secret in it. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { afterFile } from "../support/of-file.ts"
import { serviceProcess } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { until } from "../support/until.ts"
import { collector, type ReceivedSpan } from "./collector.ts"

setDefaultTimeout(60_000)

const receiver = collector()
afterFile(receiver.stop)
/** The traced processes use the database and the tokens of this service. */
const beside = await serviceOfFile()
const traced = (settings: Record<string, string>) =>
  serviceProcess({
    DATABASE_URL: beside.database.url,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    ...settings,
  })

const service = await traced({
  OTEL_EXPORTER_OTLP_ENDPOINT: `${receiver.url}/base/`,
  OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=S3CRET%3D",
  OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=test",
})
afterFile(service.stop)

const parentId = "00f067aa0ba902b7"
const newTraceId = () => crypto.randomUUID().replaceAll("-", "")
const traceparent = (trace: string, flags = "01") => `00-${trace}-${parentId}-${flags}`

/** Sends a request as part of a trace. */
async function ask(path: string, headers: Record<string, string> = {}, flags = "01") {
  const id = newTraceId()
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: {
      Authorization: `Bearer ${beside.tokens.admin}`,
      traceparent: traceparent(id, flags),
      ...headers,
    },
  })
  return { id, response, body: await response.text() }
}

/** The spans of a trace, once these have come. */
async function spansOf(trace: string, names: readonly string[]): Promise<ReceivedSpan[]> {
  const found = () => receiver.spans().filter((span) => span.traceId === trace)
  await until(() => names.every((name) => found().some((span) => span.name === name)))
  return found()
}

test("a request is a span in the trace of its caller, with its steps below it", async () => {
  const { id, response, body } = await ask("/companies/BIG/tenements?per_page=2&api_key=x", {
    "Accept-Encoding": "identity",
  })
  const name = "GET /api/v1/companies/:code/tenements"
  const steps = ["authenticate", "limit", "release", "read", "represent"]
  const spans = await spansOf(id, [name, ...steps])
  const root = spans.find((span) => span.name === name)
  expect(root).toMatchObject({
    parent: parentId,
    kind: "server",
    isError: false,
    resource: {
      "service.name": "mds",
      "service.instance.id": expect.any(String),
      "deployment.environment.name": "test",
    },
  })
  expect(root?.attributes).toEqual({
    "http.request.method": "GET",
    "http.route": "/api/v1/companies/:code/tenements",
    "http.response.status_code": 200,
    "http.response.body.size": Buffer.byteLength(body),
    "url.scheme": "http",
    "url.path": "/api/v1/companies/BIG/tenements",
    "url.query": "per_page=2",
    "client.address": "127.0.0.1",
    "mds.request_id": response.headers.get("x-request-id"),
    "mds.account": expect.any(Number),
    "mds.release": 1,
    "mds.cache": "miss",
  })
  const below = spans.filter((span) => span !== root)
  expect(below.map((span) => [span.name, span.parent])).toEqual(
    steps.map((step) => [step, root?.spanId]),
  )
  expect(receiver.requests[0]?.path).toBe("/base/v1/traces")
  expect(receiver.requests[0]?.headers.get("x-api-key")).toBe("S3CRET=")
})

test("an export is a span until its stream ends; the log has the ids of the trace", async () => {
  const { id, response } = await ask("/tenements?format=csv&all=true")
  const spans = await spansOf(id, ["GET /api/v1/tenements", "export"])
  const root = spans.find(({ kind }) => kind === "server")
  const step = spans.find(({ name }) => name === "export")
  expect(step).toMatchObject({ parent: root?.spanId, kind: "internal", isError: false })
  expect(step?.attributes).toMatchObject({
    "mds.export.outcome": "complete",
    "mds.export.records": Number(response.headers.get("x-total-count")),
    "mds.export.bytes": expect.any(Number),
  })
  const lines = () => service.logged().filter(({ trace_id }) => trace_id === id)
  await until(() => lines().length === 2)
  expect(
    lines()
      .map(({ event }) => event)
      .toSorted(),
  ).toEqual(["export ended", "request"])
  for (const { span_id } of lines()) expect(span_id).toBe(root?.spanId)
})

test("what fails inside is an error of the span, without its text; a fault of the caller is none", async () => {
  const fault = await ask("/companies?page=0")
  const [refused] = (await spansOf(fault.id, ["GET /api/v1/companies"])).filter(
    ({ kind }) => kind === "server",
  )
  expect(refused).toMatchObject({ isError: false })
  await beside.sql`alter table reports rename to hidden`
  const failed = await ask("/reports?search=kryptonite")
  await beside.sql`alter table hidden rename to reports`
  expect(failed.response.status).toBe(500)
  const spans = await spansOf(failed.id, ["GET /api/v1/reports", "read"])
  const [root] = spans.filter(({ kind }) => kind === "server")
  expect(root).toMatchObject({ isError: true, attributes: { "error.type": "INTERNAL" } })
  const [read] = spans.filter(({ name }) => name === "read")
  expect([read?.attributes, read?.events]).toEqual([{ "error.type": "42P01" }, 0])
})

test("a malformed traceparent is ignored, and a caller that does not record is not recorded", async () => {
  const known = newTraceId()
  const { response } = await ask("/companies/BIG", { traceparent: `ff-${known}-${parentId}-01` })
  const unrecorded = await ask("/companies/BIG", {}, "00")
  for (const path of ["/livez", "/readyz", "/metrics"]) await fetch(`${service.url}${path}`)
  const requestId = response.headers.get("x-request-id")
  const own = () => receiver.spans().find((s) => s.attributes["mds.request_id"] === requestId)
  await until(() => own() !== undefined)
  expect(own()?.traceId).not.toBe(known)
  expect(own()?.parent || undefined).toBeUndefined()
  const last = await ask("/companies/BIG")
  await spansOf(last.id, ["GET /api/v1/companies/:code"])
  expect(receiver.spans().filter(({ traceId }) => traceId === unrecorded.id)).toEqual([])
  const routes = receiver.spans().map(({ attributes }) => String(attributes["url.path"]))
  expect(routes.filter((path) => /livez|readyz|metrics/.test(path))).toEqual([])
})

test("no token is sent to the collector, wherever a request has one", async () => {
  const token = beside.tokens.standard
  const sent = await Promise.all([
    ask(`/companies?api_key=${token}`),
    ask(`/companies?token=${token}`),
    ask(`/companies/${token}`),
    ask(`/%ff${token}/${token}?${token}=${token}`),
    ask("/companies", { "User-Agent": token, Referer: token, "X-Forwarded-For": token }),
    ask("/companies", { tracestate: `a=${token}`, baggage: `a=${token}` }),
    ask(`/reports?search=${token}`),
  ])
  const roots = () => receiver.spans().filter(({ kind }) => kind === "server")
  await until(() => sent.every(({ id }) => roots().some(({ traceId }) => traceId === id)))
  expect(receiver.text()).not.toContain(token.slice(12, 24))
  expect(receiver.text()).not.toContain("Bearer")
})

test("a sampler leaves requests out, and a collector that hangs delays neither them nor the end", async () => {
  const hanging = collector(() => new Promise<Response>(() => {}))
  const unasked = collector()
  const quiet = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: unasked.url,
    OTEL_TRACES_SAMPLER: "always_off",
  })
  const unheard = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: hanging.url,
    OTEL_SERVICE_NAME: "mining",
    SHUTDOWN_SECONDS: "1",
  })
  for (const each of [quiet, unheard]) {
    for (let asked = 0; asked < 20; asked++) {
      expect((await each.get("/companies/BIG", beside.tokens.admin)).status).toBe(200)
    }
  }
  await quiet.stop()
  expect(unasked.requests).toEqual([])
  const stoppingMs = performance.now()
  await unheard.stop()
  expect(performance.now() - stoppingMs).toBeLessThan(10_000)
  expect(hanging.spans()[0]?.resource["service.name"]).toBe("mining")
  hanging.stop()
  unasked.stop()
})

test("a collector that refuses spans is logged once, without the secret of its headers", async () => {
  const refusing = collector(() => new Response("no", { status: 400 }))
  const refused = await traced({
    OTEL_EXPORTER_OTLP_ENDPOINT: refusing.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=S3CRET",
  })
  const warnings = () => refused.logged().filter(({ level }) => level === "warn")
  for (let batch = 1; batch <= 2; batch++) {
    await refused.get("/companies/BIG", beside.tokens.admin)
    await until(() => refusing.requests.length >= batch)
  }
  await until(() => warnings().length > 0)
  expect(warnings().map(({ event }) => event)).toEqual(["spans were not sent to the collector"])
  expect(JSON.stringify(refused.logged())).not.toContain("S3CRET")
  await refused.stop()
  refusing.stop()
})

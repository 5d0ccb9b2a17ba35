/** Every request is a trace at the collector, with its steps below it and no secret in it. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { type Collector, collector, type ReceivedSpan } from "./collector.ts"

let receiver: Collector
let service: TestService

beforeAll(async () => {
  receiver = collector()
  service = await traced(receiver)
})

afterAll(async () => {
  await service.stop()
  receiver.stop()
})

const traced = ({ url }: Collector, settings: Record<string, string> = {}) =>
  testService({ settings: { OTEL_EXPORTER_OTLP_ENDPOINT: url, ...settings } })

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const parentId = "00f067aa0ba902b7"
const newTraceId = () => crypto.randomUUID().replaceAll("-", "")
const traceparent = (trace = newTraceId(), flags = "01") => `00-${trace}-${parentId}-${flags}`

/** The spans of a trace, once the request's own and so many others have come. */
async function spansOf(trace: string, least = 1, of = receiver): Promise<ReceivedSpan[]> {
  const found = () => of.spans().filter((span) => span.traceId === trace)
  await until(() => found().some(({ kind }) => kind === "server") && found().length >= least)
  return found()
}

async function trace(path: string, init: Parameters<TestService["get"]>[1] = {}, least = 1) {
  const id = newTraceId()
  const headers = { traceparent: traceparent(id), ...init.headers }
  const answer = await service.get(path, { ...init, headers })
  const body = await answer.text()
  const spans = await spansOf(id, least)
  const [root] = spans.filter(({ kind }) => kind === "server")
  if (!root) throw new Error("No span of the request")
  return {
    answer,
    body,
    spans,
    root,
    named: (name: string) => spans.filter((s) => s.name === name),
  }
}

test("a request is a span in the trace of its caller, with the attributes of an HTTP server", async () => {
  const { answer, root, body } = await trace("/companies/BIG/tenements?per_page=2&api_key=x", {
    headers: { "Accept-Encoding": "identity" },
  })
  expect(root).toMatchObject({
    parent: parentId,
    name: "GET /api/v1/companies/:code/tenements",
    kind: "server",
    isError: false,
    resource: { "service.name": "mds", "service.instance.id": expect.any(String) },
  })
  expect(root.attributes).toEqual({
    "http.request.method": "GET",
    "http.route": "/api/v1/companies/:code/tenements",
    "http.response.status_code": 200,
    "http.response.body.size": Buffer.byteLength(body),
    "url.scheme": "http",
    "url.path": "/api/v1/companies/BIG/tenements",
    "url.query": "per_page=2",
    "client.address": "127.0.0.1",
    "mds.request_id": answer.headers.get("x-request-id"),
    "mds.account": expect.any(Number),
    "mds.release": 1,
    "mds.cache": "miss",
  })
  expect(answer.headers.get("traceresponse")).toBe(`00-${root.traceId}-${root.spanId}-01`)
  expect(root.endNs - root.startNs).toBeGreaterThan(0n)
})

test("below it stand the look-up of the token, the release, and each statement in its place", async () => {
  const token = await service.issueWithLimit(100)
  const { root, spans, named } = await trace("/reports?company=BIG&per_page=3", { token }, 6)
  const [lookup] = named("token")
  const [release] = named("release")
  expect([lookup?.parent, release?.parent]).toEqual([root.spanId, root.spanId])
  const statements = spans.filter(({ kind }) => kind === "client")
  const below = Object.fromEntries(statements.map(({ name, parent }) => [name, parent]))
  expect(below).toEqual({
    "postgresql lookups": lookup?.spanId,
    "postgresql pages": root.spanId,
    "postgresql counts": root.spanId,
  })
  for (const { attributes, startNs, endNs } of statements) {
    expect(attributes).toEqual({
      "db.system.name": "postgresql",
      "db.client.connection.pool.name": expect.any(String),
    })
    expect(startNs >= root.startNs && endNs <= root.endNs).toBe(true)
  }
})

test("an export is a span that lasts until its stream ends, with the statements of its chunks", async () => {
  const { root, named, answer } = await trace("/tenements?format=csv&all=true", {}, 5)
  const [step] = named("export")
  expect(step).toMatchObject({ parent: root.spanId, kind: "internal", isError: false })
  expect(step?.attributes).toMatchObject({
    "mds.export.outcome": "complete",
    "mds.export.records": Number(answer.headers.get("x-total-count")),
    "mds.export.bytes": expect.any(Number),
  })
  const statements = named("postgresql exports")
  expect(statements.length).toBeGreaterThan(0)
  for (const { parent } of statements) expect(parent).toBe(step?.spanId ?? "")
})

test("a line of the log has the ids of the trace, and so has that of an export's end", async () => {
  const { root, answer } = await trace("/tenements?format=csv&all=true", {}, 3)
  const id = answer.headers.get("x-request-id")
  const lines = () =>
    service.logLines.map((line) => JSON.parse(line)).filter((line) => line["mds.request_id"] === id)
  await until(() => lines().length === 2)
  for (const line of lines()) {
    expect([line.trace_id, line.span_id]).toEqual([root.traceId, root.spanId])
  }
})

test("what fails inside is an error of the span, without the text of it", async () => {
  const broken = await traced(receiver)
  await broken.sql`alter table reports rename to hidden`
  const id = newTraceId()
  const answer = await broken.get("/reports?search=kryptonite", {
    headers: { traceparent: traceparent(id) },
  })
  expect(answer.status).toBe(500)
  const spans = await spansOf(id, 4)
  const [root] = spans.filter(({ kind }) => kind === "server")
  expect(root).toMatchObject({ isError: true, attributes: { "error.type": "INTERNAL" } })
  const failed = spans.filter(({ kind, isError }) => kind === "client" && isError)
  expect(failed.length).toBeGreaterThan(0)
  for (const { attributes, events } of failed) {
    expect([attributes["error.type"], events]).toEqual(["42P01", 0])
  }
  expect(JSON.stringify(failed.map(({ attributes }) => attributes))).not.toContain("kryptonite")
  await broken.stop()
})

test("a fault of the caller is no error of the service", async () => {
  for (const [path, name] of [
    ["/companies?page=0", "GET /api/v1/companies"],
    ["/nothing/here", "GET"],
  ] as const) {
    const { root } = await trace(path)
    expect(root).toMatchObject({ name, isError: false })
    expect(root.attributes).not.toHaveProperty("error.type")
  }
})

test("a malformed traceparent is ignored: the request begins a trace of its own", async () => {
  for (const sent of ["x", `00-${traceId}-${parentId}-01-x`, `ff-${traceId}-${parentId}-01`]) {
    const answer = await service.get("/companies/BIG", { headers: { traceparent: sent } })
    const [, own = ""] = (answer.headers.get("traceresponse") ?? "").split("-")
    expect(own).toMatch(/^[\da-f]{32}$/)
    expect(own).not.toBe(traceId)
    const [root] = (await spansOf(own)).filter(({ kind }) => kind === "server")
    expect(root?.parent || undefined).toBeUndefined()
  }
})

test("a caller that does not record its trace is not recorded here, and is answered with its trace", async () => {
  const id = newTraceId()
  const headers = { traceparent: traceparent(id, "00") }
  const answer = await service.get("/companies/BIG", { headers })
  expect(answer.headers.get("traceresponse")).toMatch(new RegExp(`^00-${id}-[\\da-f]{16}-00$`))
  const own = answer.headers.get("traceresponse")?.split("-")[2]
  const lines = (await service.logged()).map((text) => JSON.parse(text))
  expect(lines.find((line) => line.trace_id === id)?.span_id).toBe(own)
  await trace("/companies/BIG")
  expect(receiver.spans().filter((span) => span.traceId === id)).toEqual([])
})

test("the state of other systems is passed on, and a token in it is not", async () => {
  const { root } = await trace("/companies/BIG", { headers: { tracestate: "vendor=1,other=2" } })
  expect(root.state).toBe("vendor=1,other=2")
  const hidden = await trace("/companies/BIG", {
    headers: { tracestate: `vendor=${service.tokens.standard}` },
  })
  expect(hidden.root.state || undefined).toBeUndefined()
})

test("what a sampler leaves out is not sent", async () => {
  const own = collector()
  const quiet = await traced(own, { OTEL_TRACES_SAMPLER: "always_off" })
  const ratio = await traced(own, {
    OTEL_TRACES_SAMPLER: "traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0",
  })
  for (const each of [quiet, ratio]) {
    const sampled = await each.get("/companies/BIG", { headers: { traceparent: traceparent() } })
    expect(sampled.headers.get("traceresponse")).toEndWith("-00")
    await each.stop()
  }
  expect(own.requests).toEqual([])
  own.stop()
})

test("probes and scrapes make no traces", async () => {
  const own = collector()
  const other = await traced(own)
  for (const path of ["/health/live", "/health/ready", "/metrics"]) {
    const answer = await fetch(`${other.url}${path}`)
    expect(answer.headers.get("traceresponse")).toBeNull()
  }
  await other.stop()
  expect(own.requests).toEqual([])
  own.stop()
})

test("the collector is sent the headers that are set, at the path of traces", async () => {
  const own = collector()
  const other = await traced(own, {
    OTEL_EXPORTER_OTLP_ENDPOINT: `${own.url}/base/`,
    OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=S3CRET%3D",
    OTEL_SERVICE_NAME: "mining",
  })
  await other.get("/companies/BIG")
  await other.stop()
  expect(own.requests.map(({ path, headers }) => [path, headers.get("x-api-key")])).toEqual([
    ["/base/v1/traces", "S3CRET="],
  ])
  expect(own.spans()[0]?.resource["service.name"]).toBe("mining")
  expect(other.logLines.join("")).not.toContain("S3CRET")
  own.stop()
})

test("no token is sent to the collector, wherever a request has one", async () => {
  const token = service.tokens.standard
  const ids: string[] = []
  const ask = async (path: string, headers: Record<string, string> = {}) => {
    const id = newTraceId()
    ids.push(id)
    await service.get(path, { headers: { traceparent: traceparent(id), ...headers } })
  }
  await ask(`/companies?api_key=${token}`)
  await ask(`/companies?token=${token}`)
  await ask(`/companies/${token}`)
  await ask(`/%ff${token}/${token}?${token}=${token}`)
  await ask("/companies", { "User-Agent": token, Referer: token, "X-Forwarded-For": token })
  await ask("/companies", { tracestate: `a=${token}`, baggage: `a=${token}` })
  await ask(`/reports?search=${token}`)
  for (const id of ids) await spansOf(id)
  expect(receiver.text()).not.toContain(token.slice(12, 24))
  expect(receiver.text()).not.toContain("Bearer")
})

test("what a request leaves to be done later is no part of its trace", async () => {
  const own = collector()
  const other = await traced(own)
  const token = other.tokens.standard
  for (const seconds of [0, 2]) {
    // The newest release is read again in the background.
    other.clock.advance(seconds * 1000)
    await other.get("/companies/BIG", { token })
  }
  await other.stop()
  const requests = own.spans().filter(({ kind }) => kind === "server")
  expect(requests).toHaveLength(2)
  const [, second] = requests
  const statements = own.spans().filter(({ kind }) => kind === "client")
  expect(statements.map(({ name }) => name)).not.toContain("postgresql housekeeping")
  expect(statements.filter(({ traceId: of }) => of === second?.traceId)).toEqual([])
  own.stop()
})

/** The log has a line for each request of a caller, of bounded length, and only some of requests without a token. */

import { expect, test } from "bun:test"
import { serviceOfFile, type TestService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { sendRaw } from "./raw-http.ts"

const service = await serviceOfFile()

const lines = () =>
  service.logLines.map((line) => JSON.parse(line)).filter(({ event }) => event === "request")

/** The lines after so many others. A line comes after its response. */
async function linesAfter(before: number) {
  await until(async () => lines().length > before)
  return lines().slice(before)
}

test("A path and a query are logged up to 500 characters each", async () => {
  for (const long of ["x", "%20", "%c3%a9", "%2541", "+", "a=1&"]) {
    const text = long.repeat(4_000 / long.length)
    const before = lines().length
    const line = `/companies/${text}?search=${text}&api_key=${service.tokens.standard}`
    await sendRaw(
      service.port,
      `GET /api/v1${line} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.tokens.admin}\r\n\r\n`,
    )
    const [{ "url.path": path, "url.query": query }] = await linesAfter(before)
    expect(path).toStartWith("/api/v1/companies/")
    expect(query).toStartWith("search=")
    for (const logged of [path, query]) {
      expect(logged.length).toBeGreaterThan(400)
      expect(logged.length).toBeLessThanOrEqual(500)
    }
  }
  expect(service.logLines.join("")).not.toContain(service.tokens.standard.slice(4, 16))
})

/** The line of a request, without what differs each time. */
async function lineOf(path: string, init: Parameters<TestService["get"]>[1] = {}) {
  const before = lines().length
  const response = await service.get(path, init)
  const content = await response.arrayBuffer()
  const [line] = await linesAfter(before)
  return { line, response, content }
}

test("A line shows the request without its token", async () => {
  const { line, response } = await lineOf("/reports?company=BIG&api_key=x&_=1")
  expect(line).toEqual({
    time: service.clock.now.toISOString(),
    level: "info",
    event: "request",
    "mds.request_id": response.headers.get("x-request-id"),
    "http.request.method": "GET",
    "http.route": "/api/v1/reports",
    "url.path": "/api/v1/reports",
    "url.query": "company=BIG&_=1",
    "http.response.status_code": 200,
    "http.response.body.size": Number(response.headers.get("content-length")),
    duration_ms: expect.any(Number),
    "client.address": "127.0.0.1",
    "mds.account": expect.any(Number),
    "mds.release": 1,
    "mds.cache": "miss",
  })
})

test("A line has the route's pattern, the release and whether the response was cached", async () => {
  const path = "/companies/BIG/tenements?per_page=3"
  const first = await lineOf(path)
  const etag = first.response.headers.get("etag") ?? ""
  const of = { "http.route": "/api/v1/companies/:code/tenements", "mds.release": 1 }
  expect(first.line).toMatchObject({ ...of, "mds.cache": "miss" })
  expect((await lineOf(path)).line).toMatchObject({ ...of, "mds.cache": "hit" })
  const again = await lineOf(path, { headers: { "If-None-Match": etag } })
  expect(again.line).toMatchObject({
    ...of,
    "mds.cache": "revalidated",
    "http.response.status_code": 304,
    "http.response.body.size": 0,
  })
})

test("A line has the code of the error, and has a route only if one matched", async () => {
  const requests = {
    "/companies/XXX": { "error.type": "NOT_FOUND", "http.route": "/api/v1/companies/:code" },
    "/companies?page=0": { "error.type": "INVALID_PARAMETER", "http.route": "/api/v1/companies" },
    "/nothing/here": { "error.type": "NOT_FOUND" },
  }
  for (const [path, expected] of Object.entries(requests)) {
    const { line } = await lineOf(path)
    expect(line).toMatchObject(expected)
    expect("http.route" in line).toBe("http.route" in expected)
    expect(line).not.toHaveProperty("mds.cache")
  }
  const { line } = await lineOf("/companies")
  expect(line).not.toHaveProperty("error.type")
})

test("A line has the size of the sent body", async () => {
  const sent = async (path: string, init = {}) => {
    const { line, content } = await lineOf(path, init)
    return [line["http.response.body.size"], content.byteLength]
  }
  const plain = { headers: { "Accept-Encoding": "identity" } }
  for (const path of ["/tenements", "/companies/BIG", "/companies/XXX", "/usage", "/sources"]) {
    const [logged, received] = await sent(path, plain)
    expect([path, logged]).toEqual([path, received])
  }
  const coded = await lineOf("/tenements", { headers: { "Accept-Encoding": "gzip" } })
  expect(coded.response.headers.get("content-encoding")).toBe("gzip")
  expect(coded.line["http.response.body.size"]).toBe(
    Number(coded.response.headers.get("content-length")),
  )
  expect(await sent("/tenements", { method: "HEAD" })).toEqual([0, 0])
  expect(await sent("/tenements?format=csv&all=true", plain)).toEqual([
    undefined,
    expect.any(Number),
  ])
})

test("A finished export has its own line with records, bytes and duration", async () => {
  const { response, content } = await lineOf("/tenements?format=csv&all=true", {
    headers: { "Accept-Encoding": "identity" },
  })
  const ended = () =>
    service.logLines
      .map((line) => JSON.parse(line))
      .find(
        (line) =>
          line.event === "export ended" &&
          line["mds.request_id"] === response.headers.get("x-request-id"),
      )
  await until(() => ended() !== undefined)
  expect(ended()).toEqual({
    time: service.clock.now.toISOString(),
    level: "info",
    event: "export ended",
    "mds.request_id": response.headers.get("x-request-id"),
    "mds.account": expect.any(Number),
    "mds.release": 1,
    outcome: "complete",
    records: Number(response.headers.get("x-total-count")),
    bytes: content.byteLength,
    duration_ms: expect.any(Number),
  })
})

test("Every request is logged as one JSON object with the same fields", async () => {
  const known = Object.keys((await lineOf("/companies?page=0")).line)
  const targets = [
    "/companies/%0a%7b%22level%22:%22error%22%7d",
    "/companies/%00%1b[2J%c2%9b%e2%80%a8%e2%80%a9",
    "/companies/%ff%fe%c3%28%ed%a0%80",
    "/companies/%22,%22mds.account%22:1,%22x%22:%22",
    "/companies?a=%0d%0a%00&%22%7d%0a=%ff",
    "/companies?__proto__=1&constructor=2&toString=3",
    `/companies/${"%F0%9F%98%80".repeat(300)}`,
    "/companies/\u00ff\u00fe",
  ]
  const headers = [
    "X: y",
    `X-Forwarded-For: ${"1.2.3.4, ".repeat(500)}x`,
    `User-Agent: ${"u".repeat(12_000)}`,
    "traceparent: 00-\u0000",
    'Accept: "\u00ff"}{',
  ]
  for (const [index, target] of targets.flatMap((each) => headers.map(() => each)).entries()) {
    const before = service.logLines.length
    const header = headers[index % headers.length]
    const head = `GET /api/v1${target} HTTP/1.1\r\nHost: a\r\n${header}\r\nAuthorization: Bearer ${service.tokens.admin}\r\n\r\n`
    const response = await sendRaw(service.port, Buffer.from(head, "latin1"))
    // Bun rejects some itself, without a line.
    if (!response.headers["x-request-id"]) continue
    await until(() => service.logLines.length > before)
    const added = service.logLines.slice(before)
    expect(added).toHaveLength(1)
    for (const line of added) {
      expect(line.indexOf("\n")).toBe(line.length - 1)
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      const fields = Object.keys(JSON.parse(line))
      expect(fields.filter((name) => !known.includes(name) && name !== "mds.release")).toEqual([])
    }
  }
})

test("Unauthenticated requests beyond the first are counted, not logged", async () => {
  const before = lines().length
  for (let sent = 0; sent < 300; sent += 30) {
    const requests = Array.from({ length: 30 }, () => service.get("/companies", { token: null }))
    await Promise.all(requests)
  }
  await until(async () => lines().length === before + 100)
  await service.get("/companies/XXX")
  expect(await linesAfter(before + 100)).toMatchObject([
    { "http.response.status_code": 404, "url.path": "/api/v1/companies/XXX" },
  ])
})

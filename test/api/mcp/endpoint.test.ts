/** `/mcp` checks the token, the window, the origin and the size of requests, and is logged like the API. */
import { expect, test } from "bun:test"
import { serviceOfFile, testService } from "../../support/service.ts"
import { legacy, modern, post, readReply, requestOf } from "./conversation.ts"

const service = await serviceOfFile()

const { body: listing, headers: inModern } = requestOf("tools/list", {}, modern)

test("A token is required in the header", async () => {
  const { admin } = service.tokens
  for (const [token, query] of [
    [null, ""],
    [null, `?api_key=${admin}`],
    [`${admin}x`, ""],
  ] as const) {
    const response = await post(service, listing, { token, query, headers: inModern })
    expect(response.status).toBe(401)
    expect(response.headers.get("www-authenticate")).toStartWith('Bearer realm="mds"')
    const { error } = (await response.json()) as { error: object }
    expect(error).toEqual({ code: "UNAUTHORIZED", message: "Invalid or missing API token" })
  }
})

test("A browser gets the 401 as JSON too", async () => {
  const response = await fetch(`${service.url}/mcp`, { headers: { Accept: "text/html" } })
  expect([response.status, response.headers.get("content-type")]).toEqual([401, "application/json"])
})

test("Each request counts in the account's window, and past it is 429", async () => {
  const token = await service.issueWithLimit(3)
  const call = requestOf("tools/call", { name: "company", arguments: { asx_code: "BIG" } }, modern)
  const first = await post(service, call.body, { token, headers: call.headers })
  expect(first.headers.get("x-ratelimit-remaining")).toBe("2")
  await post(service, "", { token, method: "GET" })
  await service.get("/companies", { token })
  const past = await post(service, call.body, { token, headers: call.headers })
  expect([past.status, past.headers.get("x-ratelimit-remaining")]).toEqual([429, "0"])
  expect(Number(past.headers.get("retry-after"))).toBeGreaterThan(0)
  const { error } = (await past.json()) as { error: object }
  expect(error).toMatchObject({ code: "RATE_LIMITED", message: "Rate limit exceeded" })
})

test("A batch calls one tool", async () => {
  const one = JSON.parse(
    requestOf("tools/call", { name: "company", arguments: { asx_code: "BIG" } }, legacy).body,
  )
  const batch = JSON.stringify([1, 2, 3].map((id) => ({ ...one, id })))
  const response = await post(service, batch, { headers: { "MCP-Protocol-Version": "2025-03-26" } })
  const text = await response.text()
  expect(text.match(/structuredContent/g)).toHaveLength(1)
  expect(text.match(/A request may call only one tool/g)).toHaveLength(2)
})

test.each(["2025-03-26", legacy, "2025-11-25"])(
  "Version %s begins with initialize",
  async (version) => {
    const clientInfo = { name: "test", version: "1" }
    const params = { protocolVersion: version, capabilities: {}, clientInfo }
    const { result } = await readReply(
      await post(service, requestOf("initialize", params, version).body),
    )
    expect(result?.protocolVersion).toBe(version)
    const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })
    expect((await post(service, notification)).status).toBe(202)
  },
)

test("An unknown version is an error of the protocol", async () => {
  const { body, headers } = requestOf("tools/list", {}, "2199-01-01")
  const response = await post(service, body, { headers })
  expect(response.status).toBe(400)
  expect((await readReply(response)).error?.message).toContain("version")
})

test("GET and DELETE are 405: there are no sessions and no streams", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const response = await post(service, "", { method })
    expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"])
  }
})

test("The service rejects a subscription at once", async () => {
  const { body, headers } = requestOf("subscriptions/listen", { notifications: {} }, modern)
  const { error } = await readReply(await post(service, body, { headers }))
  expect(error?.message).toBe("Subscription limit reached")
})

test("A malformed body is an error of the protocol", async () => {
  for (const [body, code] of [
    ["{", -32_700],
    ["", -32_700],
    ['{"jsonrpc":"2.0"}', -32_600],
  ] as const) {
    const response = await post(service, body)
    expect([body, response.status]).toEqual([body, 400])
    expect((await readReply(response)).error?.code).toBe(code)
  }
  const wrongType = await post(service, listing, { headers: { "Content-Type": "text/plain" } })
  expect(wrongType.status).toBe(415)
})

test.each([100_000, 8_000_000])("A body of %d bytes is 413", async (size) => {
  const given = { name: "find_companies", arguments: { search: "x".repeat(size) } }
  const { body, headers } = requestOf("tools/call", given, modern)
  expect((await post(service, body, { headers })).status).toBe(413)
})

test("Requests from pages of other sites are rejected", async () => {
  for (const [Origin, status] of [
    ["https://evil.example", 403],
    ["null", 403],
    [`http://127.0.0.1:1`, 403],
    [service.url, 200],
  ] as const) {
    const response = await post(service, listing, { headers: { ...inModern, Origin } })
    expect([Origin, response.status]).toEqual([Origin, status])
    expect(response.headers.get("access-control-allow-origin")).toBeNull()
  }
})

test("With BASE_URL, its origin is accepted, and another Host is not", async () => {
  const settings = { BASE_URL: "https://mds.example.com" }
  await using own = await testService({ beside: service, settings })
  for (const [headers, status] of [
    [{ Host: "mds.example.com" }, 200],
    [{ Host: "mds.example.com", Origin: "https://mds.example.com" }, 200],
    [{ Host: "mds.example.com", Origin: "https://evil.example" }, 403],
    [{ Host: "evil.example", Origin: "https://mds.example.com" }, 403],
    [{ Host: "evil.example" }, 403],
  ] as const) {
    const response = await post(own, listing, { headers: { ...inModern, ...headers } })
    expect([headers, response.status]).toEqual([headers, status])
  }
})

test("Requests are logged and measured like those of the API", async () => {
  await using own = await testService({ beside: service })
  const { body, headers } = requestOf("tools/call", { name: "company", arguments: {} }, legacy)
  const response = await post(own, body, { headers })
  const size = (await response.bytes()).length
  const [line] = (await own.logged()).map((each) => JSON.parse(each))
  expect(line).toMatchObject({
    "mds.request_id": response.headers.get("x-request-id"),
    "http.request.method": "POST",
    "http.route": "/mcp",
    "http.response.status_code": 200,
    "http.response.body.size": size,
    "error.type": "INVALID_PARAMETER",
  })
  const metrics = await (await fetch(`${own.url}/metrics`)).text()
  expect(metrics).toMatch(/request_duration_seconds_count\{.*http_route="\/mcp".*\} 1/)
  expect(response.headers.get("cache-control")).toBe("no-store")
})

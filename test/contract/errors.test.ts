/**
 * Every error is JSON with the code, status and message of its row in the table of errors, and only
 * the log has the cause (interface specification, section 7).
 */
import { expect, test } from "bun:test"
import { serviceOfFile, type TestService } from "../support/service.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readError } from "./bodies.ts"

const service = await serviceOfFile()

const notFound = { error: { code: "NOT_FOUND", message: "Resource not found" } }

test.each([
  "/",
  "/nothing",
  "/companies/ZZZ",
  "/companies/ZZZ/tenements",
  "/companies/ZZZ/subsidiaries",
  "/companies/BIG/reports",
  "/companies/BIG/tenements/WA-E47-1234",
  "/tenements/none",
  "/reports/none",
  "/companies/%00",
  "/companies/%00/tenements",
  "/tenements/%F0%9F%98%80",
])("%s is not found", async (path) => {
  const response = await service.get(path)
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual(notFound)
})

test("A path outside the interface is 404 without a token", async () => {
  for (const path of ["/api", "/api/v2/companies", "/apiv1", "/favicon.ico"]) {
    const response = await fetch(`${service.url}${path}`)
    expect([path, response.status, await response.json()]).toEqual([path, 404, notFound])
  }
})

test.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("%s is not allowed", async (method) => {
  for (const path of ["/companies", "/companies/BIG", "/usage", "/nothing"]) {
    const response = await service.get(path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
    expect(await response.json()).toEqual({
      error: { code: "METHOD_NOT_ALLOWED", message: "Method not allowed" },
    })
  }
})

test("An unexpected or broken body is ignored", async () => {
  const headers = { "Content-Type": "application/json" }
  const init = { method: "POST", body: '{"', headers }
  expect((await service.get("/companies", init)).status).toBe(405)
  expect((await service.get("/companies", { ...init, token: null })).status).toBe(401)
})

test("An undecodable path is 400", async () => {
  for (const path of ["/companies/%ff", "/companies/%", "/companies/%zz/tenements", "/%c3%28"]) {
    const response = await service.get(path)
    expect([path, response.status, await response.json()]).toEqual([
      path,
      400,
      {
        error: {
          code: "INVALID_PARAMETER",
          message: "Invalid parameter",
          details: { parameters: [{ parameter: "path", message: "Is not valid UTF-8" }] },
        },
      },
    ])
  }
})

test("An undecodable path of a page is 404", async () => {
  const { jar } = await signedInVisitor(service, "person@example.com")
  for (const path of ["/docs/%ff", "/explore/companies/%zz", "/account/%", "/%c0%80"]) {
    for (const headers of [{}, { Cookie: `__Host-session=${jar.cookie}` }]) {
      const { status } = await fetch(service.url + path, { headers, redirect: "manual" })
      expect([path, status]).toEqual([path, 404])
    }
  }
})

test("Errors are JSON in every requested format", async () => {
  const headers = { Accept: "text/csv" }
  const limited = await service.issueWithLimit(1)
  await service.get("/companies", { token: limited })
  const requests: [string, Parameters<TestService["get"]>[1], number][] = [
    ["/companies?format=csv&page=0", {}, 400],
    ["/companies?page=0", { headers }, 400],
    ["/companies/ZZZ/tenements?format=tsv", {}, 404],
    ["/companies/ZZZ/tenements?format=csv&all=true", {}, 404],
    ["/companies/ZZZ", { headers }, 404],
    ["/companies?format=csv", { token: null, headers }, 401],
    ["/companies?format=csv", { token: limited, headers }, 429],
    ["/companies?format=csv&all=true", { method: "POST", headers }, 405],
  ]
  for (const [path, init, status] of requests) {
    const response = await service.get(path, init)
    expect([path, response.status]).toEqual([path, status])
    expect(response.headers.get("content-type")).toBe("application/json")
    const error = await readError(response)
    expect(Object.keys(error).filter((key) => key !== "details")).toEqual(["code", "message"])
  }
})

test("The log has the cause of an internal error under the request id; the response has none", async () => {
  await service.sql`alter table reports rename to hidden`
  const response = await service.get("/reports")
  await service.sql`alter table hidden rename to reports`
  expect(response.status).toBe(500)
  expect(await response.json()).toEqual({ error: { code: "INTERNAL", message: "Internal error" } })
  const lines = service.logLines.map((line) => JSON.parse(line))
  const id = response.headers.get("x-request-id")
  const failure = lines.find(
    (line) => line.event === "request failed" && line["mds.request_id"] === id,
  )
  expect(failure?.error).toContain('relation "reports" does not exist')
})

/** A call that fails returns the error of the API with the same text, and reveals nothing else. */
import { expect, test } from "bun:test"
import type { Fault } from "../../contract/bodies.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { callTool, legacy, modern } from "./conversation.ts"

const service = await serviceOfFile()

const sameErrors: [tool: string, given: object, path: string][] = [
  ["company", { asx_code: "NOSUCH" }, "/companies/NOSUCH"],
  ["company", { asx_code: "BIG", as_of: "9" }, "/companies/BIG?as_of=9"],
  ["find_tenements", { state: "XX" }, "/tenements?state=XX"],
  [
    "find_tenements",
    { expires_from: "2026-02-02", expires_to: "2026-01-01" },
    "/tenements?expires_from=2026-02-02&expires_to=2026-01-01",
  ],
  ["find_announcements", { search: "\ud800" }, "/reports?search=%EF%BF%BD"],
  ["find_announcements", { search: "x".repeat(201) }, `/reports?search=${"x".repeat(201)}`],
]

test.each(sameErrors)("%s with %j fails as the API does", async (tool, given, path) => {
  const expected = await (await service.get(path)).text()
  for (const version of [legacy, modern]) {
    const { result } = await callTool(service, tool, given, version)
    expect(result?.isError).toBe(true)
    expect(result?.content).toEqual([{ type: "text", text: expected }])
  }
})

const unknown = "Unknown parameter"
const noScalar = "Must be a string, number or boolean"
const noCompany = (code: string) => `No company has the code ${code}; find_companies finds codes`

const faults: [tool: string, given: object, parameter: string, message: string][] = [
  ["find_companies", { sectr: "x" }, "sectr", "Unknown parameter; did you mean sector?"],
  ["find_companies", { format: "csv" }, "format", unknown],
  ["find_companies", { search: null }, "search", noScalar],
  ["find_tenements", { state: ["WA"] }, "state", noScalar],
  ["find_tenements", { company: "Big Mining" }, "company", noCompany("BIG MINING")],
  ["find_announcements", { company: "Big Mining" }, "company", noCompany("BIG MINING")],
  ["count_tenements", { by: "state", company: "santos" }, "company", noCompany("SANTOS")],
  ["changes", { list: "tenements", company: "santos" }, "company", noCompany("SANTOS")],
  ["company", {}, "asx_code", "asx_code is required"],
  ["company", { asx_code: "" }, "asx_code", "asx_code is required"],
  ["company", { asx_code: "BIG", as_of: "" }, "as_of", "Must not be empty"],
  ["count_tenements", { state: "WA" }, "by", "by is required"],
  ["changes", { company: "BIG" }, "list", "list is required"],
  ["changes", { list: "sources" }, "list", "Must be one of companies, tenements, reports"],
  ["changes", { list: "tenements", since: "yesterday" }, "since", "Must be a release number"],
  [
    "changes",
    { list: "reports", since: "9" },
    "since",
    "Release 9 is not published; the newest is 1",
  ],
  ["changes", { list: "tenements", since: "1", filters: { state: "WA" } }, "filters", noScalar],
  ["changes", { list: "companies", since: "1", state: "WA" }, "state", unknown],
  ["find_companies", { api_key: "x" }, "api_key", unknown],
  ["company", { asx_code: "BIG", _: "1" }, "_", unknown],
  ["changes", { list: "tenements", since: "1", all: "true" }, "all", unknown],
  ["sources", { source: "wa" }, "source", unknown],
]

async function faultsOf(tool: string, given: object): Promise<Fault[]> {
  const { result } = await callTool(service, tool, given)
  expect(result?.isError).toBe(true)
  const { error } = JSON.parse(result?.content[0]?.text ?? "")
  expect(error.code).toBe("INVALID_PARAMETER")
  return error.details.parameters
}

test.each(faults)("%s with %j names the fault", async (tool, given, parameter, message) => {
  const found = await faultsOf(tool, given)
  expect(found).toMatchObject([{ parameter, message: expect.stringContaining(message) }])
})

test("A misnamed argument is named beside the missing one", async () => {
  const found = await faultsOf("company", { asx_cod: "BIG" })
  expect(found.map(({ message }) => message)).toEqual([
    "Unknown parameter; did you mean asx_code?",
    "asx_code is required",
  ])
})

test("An unknown tool is an error of the protocol", async () => {
  expect((await callTool(service, "drop_tables")).error?.code).toBe(-32_602)
})

test("A result of a busy service says when to retry", async () => {
  await using own = await testService({ beside: service, holdsLocks: false })
  const { result } = await own.sql.begin(async (sql) => {
    await sql`lock table tenements in access exclusive mode`
    return callTool(own, "find_tenements", { state: "NT" })
  })
  const body = {
    error: { code: "UNAVAILABLE", message: "Service unavailable, try again shortly" },
  }
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { ...body, retry_after_seconds: 5 },
    content: [
      { type: "text", text: JSON.stringify(body) },
      { type: "text", text: "Call the tool again after 5 seconds." },
    ],
  })
})

test("A failure of the service is logged, and its cause is not in the response", async () => {
  await service.sql`alter table tenements rename to moved`
  const { result } = await callTool(service, "find_tenements", { state: "NT" })
  await service.sql`alter table moved rename to tenements`
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: '{"error":{"code":"INTERNAL","message":"Internal error"}}' }],
  })
  const lines = (await service.logged()).map((line) => JSON.parse(line))
  const failed = lines.find(({ event }) => event === "request failed")
  const request = lines.findLast((line) => line["http.route"] === "/mcp")
  expect(failed["mds.request_id"]).toBe(request["mds.request_id"])
  expect(request["error.type"]).toBe("INTERNAL")
})

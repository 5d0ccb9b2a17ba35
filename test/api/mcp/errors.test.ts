/** A call that fails returns the error of the API with the same text, and reveals nothing else. */
import { expect, test } from "bun:test"
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

const faults: [tool: string, given: object, fault: object][] = [
  [
    "find_companies",
    { sectr: "x" },
    { parameter: "sectr", message: "Unknown parameter; did you mean sector?" },
  ],
  ["find_companies", { format: "csv" }, { parameter: "format" }],
  [
    "find_companies",
    { search: null },
    { parameter: "search", message: "Must be a string, number or boolean" },
  ],
  [
    "find_tenements",
    { state: ["WA"] },
    { parameter: "state", message: "Must be a string, number or boolean" },
  ],
  ...["find_tenements", "find_announcements"].map((tool): [string, object, object] => [
    tool,
    { company: "Big Mining" },
    {
      parameter: "company",
      message: "No company has the code BIG MINING; find_companies finds codes",
    },
  ]),
  [
    "count_tenements",
    { by: "state", company: "santos" },
    { parameter: "company", message: "No company has the code SANTOS; find_companies finds codes" },
  ],
  [
    "changes",
    { list: "tenements", company: "santos" },
    { parameter: "company", message: "No company has the code SANTOS; find_companies finds codes" },
  ],
  ["company", {}, { parameter: "asx_code", message: "asx_code is required" }],
  ["company", { asx_code: "" }, { parameter: "asx_code", message: "asx_code is required" }],
  ["company", { asx_code: "BIG", as_of: "" }, { parameter: "as_of", message: "Must not be empty" }],
  ["count_tenements", { state: "WA" }, { parameter: "by", message: "by is required" }],
  ["changes", { company: "BIG" }, { parameter: "list", message: "list is required" }],
  [
    "changes",
    { list: "sources", since: "1" },
    { parameter: "list", message: "Must be one of companies, tenements, reports" },
  ],
  ["changes", { list: "tenements", since: "yesterday" }, { parameter: "since" }],
  ["changes", { list: "reports", since: "9" }, { parameter: "since" }],
  [
    "changes",
    { list: "tenements", since: "1", filters: { state: "WA" } },
    { parameter: "filters" },
  ],
  ["changes", { list: "companies", since: "1", state: "WA" }, { parameter: "state" }],
  ["find_companies", { api_key: "x" }, { parameter: "api_key", message: "Unknown parameter" }],
  ["company", { asx_code: "BIG", _: "1" }, { parameter: "_", message: "Unknown parameter" }],
  ["changes", { list: "tenements", since: "1", all: "true" }, { parameter: "all" }],
  ["sources", { source: "wa" }, { parameter: "source" }],
]

test.each(faults)("%s with %j names the fault", async (tool, given, fault) => {
  const { result } = await callTool(service, tool, given)
  expect(result?.isError).toBe(true)
  const { error } = JSON.parse(result?.content[0]?.text ?? "")
  expect(error.code).toBe("INVALID_PARAMETER")
  expect(error.details.parameters).toEqual([expect.objectContaining(fault)])
})

test("A misnamed argument is named beside the missing one", async () => {
  const { result } = await callTool(service, "company", { asx_cod: "BIG" })
  const { error } = JSON.parse(result?.content[0]?.text ?? "")
  expect(error.details.parameters.map(({ message }: { message: string }) => message)).toEqual([
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

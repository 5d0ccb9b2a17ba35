/** Every example in the description equals the response of the service, with its whole body and headers. */
import { describe, expect, test } from "bun:test"
import { exampleNow } from "../../../src/api/description/examples.ts"
import { throughProxy } from "../../contract/interruptible-proxy.ts"
import { serviceOfFile, type TestService, testService } from "../../support/service.ts"
import {
  exampleIn,
  operationsIn,
  type ResponseObject,
  readDocument,
  responseOf,
} from "./document.ts"
import { publishedExamples } from "./published-examples.ts"

const publisher = await publishedExamples()
// Without a cache no response depends on earlier requests.
const settings = { CACHE_MEMORY_MB: "0" }
const service = await serviceOfFile({ beside: publisher, now: exampleNow, settings })
const document = await readDocument(service.url)

/** Of an account that has made no request. */
const freshToken = () => service.issue(`${crypto.randomUUID()}@example.com`)

/** Set by HTTP itself; of the media type, see the examples' own tests. */
const ofHttp = [
  "content-length",
  "content-type",
  "content-encoding",
  "date",
  "connection",
  "keep-alive",
  "transfer-encoding",
]

/** Each header is described, and each described one is there unless it is optional. */
function expectHeaders(response: Response, { headers }: ResponseObject): void {
  const shown = [...response.headers.keys()].filter((name) => !ofHttp.includes(name))
  const described = Object.entries(headers).filter(
    ([name, { required }]) => required || response.headers.has(name),
  )
  expect(shown.sort()).toEqual(described.map(([name]) => name.toLowerCase()).sort())
}

const targetOf = (summary: string): string => summary.replace(/^GET (\S+).*$/, "$1")

async function bodyOf(response: Response, mediaType: string): Promise<unknown> {
  expect(response.headers.get("content-type")).toStartWith(mediaType)
  return /[/+]json$/.test(mediaType) ? response.json() : response.text()
}

const json = "application/json"

test("Example bodies conform in every operation and media type", async () => {
  let count = 0
  for (const operation of operationsIn(document)) {
    const success = responseOf(operation, 200)
    for (const mediaType of Object.keys(success.content ?? {})) {
      // A binary file has no example.
      if (mediaType === "application/vnd.apache.parquet") continue
      const { summary, value } = exampleIn(success, mediaType)
      const response = await service.get(targetOf(summary), { token: await freshToken() })
      expect([summary, response.status, await bodyOf(response, mediaType)]).toEqual([
        summary,
        200,
        value,
      ])
      count++
    }
  }
  // Thirteen lists in four media types each, one feed, features of two lists and a record, three records and one object.
  expect(count).toBe(13 * 4 + 1 + 3 + 3 + 1)
})

test("Example headers exist for every operation", async () => {
  for (const operation of operationsIn(document)) {
    const success = responseOf(operation, 200)
    const target = targetOf(exampleIn(success, json).summary)
    expectHeaders(await service.get(target, { token: await freshToken() }), success)
  }
})

test("The examples of headers are those of the list of companies and of errors", async () => {
  const [companies] = operationsIn(document)
  if (companies?.operationId !== "listCompanies") throw new Error("Not first")
  const { headers } = responseOf(companies, 200)
  const response = await service.get("/companies", { token: await freshToken() })
  const csv = await service.get("/companies?format=csv", { token: await freshToken() })
  for (const [name, { example }] of Object.entries(headers)) {
    if (name === "X-Request-Id") continue
    const shown = name === "Content-Disposition" ? csv.headers : response.headers
    expect([name, shown.get(name)]).toEqual([name, String(example)])
  }
  const unauthorized = responseOf(companies, 401).headers
  const refused = await service.get("/companies", { token: "none" })
  for (const name of ["WWW-Authenticate", "Cache-Control"]) {
    expect([name, refused.headers.get(name)]).toEqual([name, String(unauthorized[name]?.example)])
  }
})

test("A 304 has its described headers", async () => {
  const [operation] = operationsIn(document)
  const etag = operation?.parameters.find(({ name }) => name === "If-None-Match")?.schema
    .examples[0]
  const headers = { "If-None-Match": String(etag) }
  const response = await service.get("/companies", { token: await freshToken(), headers })
  expect([operation?.operationId, response.status]).toEqual(["listCompanies", 304])
  if (operation) expectHeaders(response, responseOf(operation, 304))
})

test("Each parameter's example is accepted by each operation that has it", async () => {
  for (const operation of operationsIn(document)) {
    const path = targetOf(exampleIn(responseOf(operation, 200), json).summary)
    for (const { name, in: where, schema } of operation.parameters) {
      const [example] = schema.examples
      expect([path, name, schema.examples.length]).toEqual([path, name, 1])
      if (where === "path") expect(path).toContain(`/${example}`)
      if (where !== "query") continue
      const csv = ["all", "bom", "formula_guard"].includes(name) ? "&format=csv" : ""
      const since = name === "changed" ? "&updated_since=1" : ""
      const target = `${path}?${name}=${encodeURIComponent(String(example))}${csv}${since}`
      expect([target, (await service.get(target)).status]).toEqual([target, 200])
    }
  }
})

describe("The body and headers of the error", () => {
  /** The operations that can have it share one example. */
  async function expectError(status: number, from: TestService, token: string) {
    const [operation] = operationsIn(document).filter(({ responses }) => responses[status])
    if (!operation) throw new Error(`No operation has ${status}`)
    const described = responseOf(operation, status)
    const { summary, value } = exampleIn(described, json)
    const response = await from.get(targetOf(summary), { token })
    expect([response.status, await bodyOf(response, json)]).toEqual([status, value])
    expectHeaders(response, described)
  }

  test("400", async () => {
    await expectError(400, service, await freshToken())
  })

  test("401", async () => {
    await expectError(401, service, "none")
  })

  test("404", async () => {
    await expectError(404, service, await freshToken())
  })

  test("429", async () => {
    const token = await freshToken()
    for (let sent = 0; sent < 1_000; sent += 100) {
      const requests = Array.from({ length: 100 }, () =>
        service.get("/companies?page=0", { token }),
      )
      for (const response of await Promise.all(requests)) expect(response.status).toBe(400)
    }
    await expectError(429, service, token)
  })

  test("500", async () => {
    const token = await freshToken()
    await service.sql`alter table companies rename to hidden`
    try {
      await expectError(500, service, token)
    } finally {
      await service.sql`alter table hidden rename to companies`
    }
  })

  test("503", async () => {
    using proxy = await throughProxy(publisher.database.url)
    const settings = { STATEMENT_TIMEOUT_SECONDS: "1" }
    const reach = () => proxy.url
    await using cutOff = await testService({ beside: publisher, now: exampleNow, settings, reach })
    proxy.cut()
    await expectError(503, cutOff, await freshToken())
    proxy.mend()
  })
})

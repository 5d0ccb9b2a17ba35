/** Every example in the description is what the service answers, by whole bodies and headers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { exampleNow } from "../../src/description/examples.ts"
import { interruptibleProxy } from "../contract/interruptible-proxy.ts"
import { type TestService, testService } from "../support/service.ts"
import {
  type Document,
  exampleIn,
  operationsIn,
  type ResponseObject,
  readDocument,
  responseOf,
} from "./document.ts"
import { publishedExamples } from "./published-examples.ts"

let publisher: TestService
let service: TestService
let document: Document

beforeAll(async () => {
  publisher = await publishedExamples()
  // Without a cache no answer depends on what was asked before.
  const settings = { CACHE_MEMORY_MB: "0" }
  service = await testService({ beside: publisher, now: exampleNow, settings })
  document = await readDocument(service.url)
})

afterAll(async () => {
  await service.stop()
  await publisher.stop()
})

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

/**
 * Each header is described, each described one is there unless it is optional, and each has the
 * example's value, but for the request's id.
 */
function expectHeaders(answer: Response, { headers }: ResponseObject): void {
  const shown = Object.fromEntries([...answer.headers].filter(([name]) => !ofHttp.includes(name)))
  const described = Object.entries(headers).filter(
    ([name, { required }]) => required || answer.headers.has(name),
  )
  expect(shown).toEqual(
    Object.fromEntries(
      described.map(([name, { example }]) => [
        name.toLowerCase(),
        name === "X-Request-Id"
          ? expect.stringMatching(/^[0-9a-f-]{36}$/)
          : // The tag of what belongs to no release is another in each database.
            example === undefined
            ? expect.any(String)
            : String(example),
      ]),
    ),
  )
}

const targetOf = (summary: string): string => summary.replace(/^GET (\S+).*$/, "$1")

async function bodyOf(answer: Response, mediaType: string): Promise<unknown> {
  expect(answer.headers.get("content-type")).toStartWith(mediaType)
  return mediaType === "application/json" ? answer.json() : answer.text()
}

const json = "application/json"

test("the bodies of every operation in every media type", async () => {
  let count = 0
  for (const operation of operationsIn(document)) {
    const success = responseOf(operation, 200)
    for (const mediaType of Object.keys(success.content ?? {})) {
      const { summary, value } = exampleIn(success, mediaType)
      const answer = await service.get(targetOf(summary), { token: await freshToken() })
      expect([summary, answer.status, await bodyOf(answer, mediaType)]).toEqual([
        summary,
        200,
        value,
      ])
      count++
    }
  }
  // Ten lists in three media types each, three records and one object.
  expect(count).toBe(10 * 3 + 3 + 1)
})

test("the headers of every operation in JSON, and the one that CSV alone has", async () => {
  for (const operation of operationsIn(document)) {
    const success = responseOf(operation, 200)
    const target = targetOf(exampleIn(success, json).summary)
    expectHeaders(await service.get(target, { token: await freshToken() }), success)
    const disposition = success.headers["Content-Disposition"]
    if (!disposition) continue
    const csv = await service.get(`${target}?format=csv`)
    expect(csv.headers.get("content-disposition")).toBe(String(disposition.example))
  }
})

test("the headers of a 304", async () => {
  const [operation] = operationsIn(document)
  const etag = operation?.parameters.find(({ name }) => name === "If-None-Match")?.schema
    .examples[0]
  const headers = { "If-None-Match": String(etag) }
  const answer = await service.get("/companies", { token: await freshToken(), headers })
  expect([operation?.operationId, answer.status]).toEqual(["listCompanies", 304])
  if (operation) expectHeaders(answer, responseOf(operation, 304))
})

test("each parameter's example is accepted by each operation that has it", async () => {
  for (const operation of operationsIn(document)) {
    const path = targetOf(exampleIn(responseOf(operation, 200), json).summary)
    for (const { name, in: where, schema } of operation.parameters) {
      const [example] = schema.examples
      expect([path, name, schema.examples.length]).toEqual([path, name, 1])
      if (where === "path") expect(path).toContain(`/${example}`)
      if (where !== "query") continue
      const csv = ["all", "bom", "formula_guard"].includes(name) ? "&format=csv" : ""
      const target = `${path}?${name}=${encodeURIComponent(String(example))}${csv}`
      expect([target, (await service.get(target)).status]).toEqual([target, 200])
    }
  }
})

describe("the body and headers of the error", () => {
  /** The operations that can have it share one example. */
  async function expectError(status: number, from: TestService, token: string) {
    const [operation] = operationsIn(document).filter(({ responses }) => responses[status])
    if (!operation) throw new Error(`No operation has ${status}`)
    const described = responseOf(operation, status)
    const { summary, value } = exampleIn(described, json)
    const answer = await from.get(targetOf(summary), { token })
    expect([answer.status, await bodyOf(answer, json)]).toEqual([status, value])
    expectHeaders(answer, described)
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
      for (const answer of await Promise.all(requests)) expect(answer.status).toBe(400)
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
    const { hostname, port } = new URL(publisher.database.url)
    const proxy = await interruptibleProxy({ host: hostname, port: Number(port) })
    const reach = (databaseUrl: string) => {
      const url = new URL(databaseUrl)
      url.host = `127.0.0.1:${proxy.port}`
      return url.href
    }
    const settings = { STATEMENT_TIMEOUT_SECONDS: "1" }
    const cutOff = await testService({ beside: publisher, now: exampleNow, settings, reach })
    try {
      proxy.cut()
      await expectError(503, cutOff, await freshToken())
    } finally {
      proxy.mend()
      await cutOff.stop()
      proxy.close()
    }
  })
})

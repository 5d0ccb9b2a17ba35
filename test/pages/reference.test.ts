/** The reference has a page for each resource, with all that the description has of it, and one to send requests from. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { referencePages } from "../../src/pages/docs/reference/reference-pages.ts"
import {
  type Document,
  exampleIn,
  type OperationObject,
  operationsIn,
  readDocument,
  responseOf,
} from "../description/document.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService
let document: Document

beforeAll(async () => {
  service = await testService()
  document = await readDocument(service.url)
})

afterAll(() => service.stop())

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers })
const pageOf = async (path: string): Promise<string> => (await open(path)).text()

const groupOf = ({ tags: [tag = ""] }: OperationObject): string =>
  tag.toLowerCase().replaceAll(" ", "-")

/** The text of an element with that id, without markup. */
function textAt(page: string, id: string): string {
  const start = page.indexOf(`id="${id}"`)
  const [, inside = ""] = /^[^>]*>(.*?)<\/(?:pre|tr|section|div)>/s.exec(page.slice(start)) ?? []
  const entities: Record<string, string> = {
    "&lt;": "<",
    "&gt;": ">",
    "&quot;": '"',
    "&#39;": "'",
    "&amp;": "&",
  }
  return inside.replace(/<[^>]*>/g, "").replace(/&\w+;|&#39;/g, (entity) => entities[entity] ?? "")
}

test("there is a page for each group of operations, and no other", async () => {
  const groups = [...new Set(operationsIn(document).map(groupOf))]
  expect(referencePages.map(({ name }) => name)).toEqual(groups)
  const index = await pageOf("/docs/reference")
  for (const { name, title } of referencePages) {
    expect(index).toContain(`<a href="/docs/reference/${name}">${title}</a>`)
    expect(await pageOf(`/docs/reference/${name}`)).toContain(`<h1>${title}</h1>`)
  }
  const unknown = await open("/docs/reference/nothing")
  expect([unknown.status, await unknown.text()]).toEqual([
    404,
    expect.stringContaining("<h1>There is no page at this address</h1>"),
  ])
})

test("a page has every field, parameter, header and error, each with an address", async () => {
  for (const operation of operationsIn(document)) {
    const page = await pageOf(`/docs/reference/${groupOf(operation)}`)
    const { operationId: id, parameters, responses } = operation
    expect(page).toContain(`<section class="stack operation" id="${id}">`)
    for (const { name, schema } of parameters) {
      const row = textAt(page, `${id}-${name}`)
      expect([id, row]).toEqual([id, expect.stringMatching(new RegExp(`^${name}`))])
      expect([id, name, row]).toEqual([
        id,
        name,
        expect.stringContaining(String(schema.examples[0])),
      ])
    }
    for (const name of Object.keys(responseOf(operation, 200).headers)) {
      expect(textAt(page, `${id}-headers-${name.toLowerCase()}`)).toStartWith(name)
    }
    for (const status of Object.keys(responses).filter((each) => Number(each) >= 400)) {
      expect(textAt(page, `${id}-errors-${status}`)).toStartWith(status)
    }
  }
})

test("the fields of a page are those of its schema, in their order", async () => {
  const page = await pageOf("/docs/reference/companies")
  const fields = [...page.matchAll(/id="field-(\w+)"/g)].map(([, name]) => name)
  const { properties } = document.components.schemas.Company as { properties: object }
  expect(fields).toEqual(Object.keys(properties))
  expect(textAt(page, "field-market_cap_aud")).toBe(
    "market_cap_audinteger, from 0nullMarket capitalisation, in Australian dollars",
  )
})

test("each request is shown with the answer that the description has", async () => {
  for (const operation of operationsIn(document)) {
    const page = await pageOf(`/docs/reference/${groupOf(operation)}`)
    const success = responseOf(operation, 200)
    const json = exampleIn(success, "application/json")
    const { operationId: id } = operation
    expect(JSON.parse(textAt(page, `${id}-json-answer`))).toEqual(json.value)
    expect(page).toContain(`${service.url}/api/v1${json.summary.replace("GET ", "")}&quot;`)
    if (!success.content?.["text/csv"]) continue
    const csv = String(exampleIn(success, "text/csv").value)
    expect(textAt(page, `${id}-csv-answer`)).toBe(csv.replaceAll("\r\n", "\n"))
  }
})

test("the reference as text has every operation and error", async () => {
  const answer = await open("/docs/reference.md")
  expect(answer.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  const text = await answer.text()
  for (const [path, { get }] of Object.entries(document.paths)) {
    expect(text).toContain(`\`GET /api/v1${path}\``)
    for (const { name } of get.parameters) expect(text).toContain(`| \`${name}\` |`)
  }
  for (const code of ["INVALID_PARAMETER", "METHOD_NOT_ALLOWED", "UNAVAILABLE"]) {
    expect(text).toContain(`\`${code}\``)
  }
})

test("the page to try requests loads Swagger UI from this service alone", async () => {
  const answer = await open("/docs/try")
  const reference = await open("/docs/reference")
  const policy = answer.headers.get("content-security-policy")
  expect(policy).toContain("script-src 'self'")
  expect(policy).toBe(reference.headers.get("content-security-policy"))
  const page = await answer.text()
  const addresses = [...page.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]+)"/g)].map(
    ([, address = ""]) => address,
  )
  expect(addresses).toContainEqual(
    expect.stringMatching(/^\/assets\/swagger-ui\/swagger-ui-bundle\.[\d.]+\.js$/),
  )
  for (const address of addresses) {
    expect(address).toStartWith("/assets/")
    const file = await open(address, { "Accept-Encoding": "gzip" })
    expect([address, file.status, file.headers.get("cache-control")]).toEqual([
      address,
      200,
      "public, max-age=31536000, immutable",
    ])
    expect(await file.text()).not.toContain("sourceMappingURL")
  }
  expect(page).not.toMatch(/<script(?![^>]* src=)|<[^>]* (?:style|on\w+)=/)
  expect((await open("/assets/swagger-ui/package.json")).status).toBe(404)
})

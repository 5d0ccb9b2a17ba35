/** The reference has a page for each resource, with all that the description has of it and leads into the explorer. */
import { expect, test } from "bun:test"
import { referencePages } from "../../../src/web/pages/docs/pages.ts"
import {
  exampleIn,
  type OperationObject,
  operationsIn,
  readDocument,
  responseOf,
} from "../../api/description/document.ts"
import { serviceOfFile } from "../../support/service.ts"
import { contentOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile()
const document = await readDocument(service.url)

const open = (path: string, headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers })
const pageOf = async (path: string): Promise<string> => (await open(path)).text()

const groupOf = ({ tags: [tag = ""] }: OperationObject): string =>
  tag.toLowerCase().replaceAll(" ", "-")

/** The text of an element with that id, without markup. */
function textAt(page: string, id: string): string {
  const start = page.indexOf(`id="${id}"`)
  const [, inside = ""] = /^[^>]*>(.*?)<\/(?:pre|tr|section|div)>/s.exec(page.slice(start)) ?? []
  return contentOf(inside)
}

test("There is a page for each group of operations, and no other", async () => {
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

/** Of the part of an operation, on its page. */
const idOf = ({ summary }: OperationObject): string => summary.toLowerCase().replaceAll(" ", "-")

test("A page shows every field, parameter, header and error, with links to fields and parameters", async () => {
  const index = await pageOf("/docs/reference")
  for (const operation of operationsIn(document)) {
    const page = await pageOf(`/docs/reference/${groupOf(operation)}`)
    const id = idOf(operation)
    const [, part = ""] = page.split(`<h2 id="${id}">`)
    const [ofOperation = ""] = part.split("<h2 ")
    for (const { name, schema } of operation.parameters) {
      const row = textAt(page, `${id}-${name}`)
      expect([id, row]).toEqual([id, expect.stringMatching(new RegExp(`^${name}`))])
      expect([id, name, row]).toEqual([
        id,
        name,
        expect.stringContaining(String(schema.examples[0])),
      ])
    }
    for (const name of Object.keys(responseOf(operation, 200).headers)) {
      expect(textAt(index, `response-headers-${name}`)).toStartWith(name)
    }
    for (const status of Object.keys(operation.responses).filter((each) => Number(each) >= 400)) {
      expect(ofOperation).toMatch(new RegExp(`[ :]${status} <code>[A-Z_]+</code>`))
    }
  }
})

test("The fields of a page are those of its schema, in their order", async () => {
  const page = await pageOf("/docs/reference/companies")
  const fields = [...page.matchAll(/<tr id="fields-(\w+)"/g)].map(([, name]) => name)
  const { properties } = document.components.schemas.Company as { properties: object }
  expect(fields).toEqual(Object.keys(properties))
  expect(textAt(page, "fields-market_cap_aud")).toBe(
    "market_cap_audinteger, from 0nullMarket capitalisation, in Australian dollars",
  )
})

test("Each request is shown with the response in the description", async () => {
  for (const operation of operationsIn(document)) {
    const page = await pageOf(`/docs/reference/${groupOf(operation)}`)
    const programs = [...page.matchAll(/<code id="(code-\d+)">/g)].map(([, id = ""]) =>
      textAt(page, id),
    )
    const responseTo = (request: string) => {
      const line = `${service.url}/api/v1${request.replace("GET ", "")}"\n`
      return programs[programs.findIndex((program) => program.endsWith(line)) + 1] ?? ""
    }
    const success = responseOf(operation, 200)
    const json = exampleIn(success, "application/json")
    expect(JSON.parse(responseTo(json.summary))).toEqual(json.value)
    if (!success.content?.["text/csv"]) continue
    const csv = exampleIn(success, "text/csv")
    expect(responseTo(csv.summary)).toBe(String(csv.value).replaceAll("\r\n", "\n"))
  }
})

test("The reference as text has every operation and error", async () => {
  const response = await open("/docs/reference.md")
  expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  const text = await response.text()
  for (const [path, { get }] of Object.entries(document.paths)) {
    expect(text).toContain(`\`GET /api/v1${path}\``)
    for (const { name } of get.parameters) expect(text).toContain(`| \`${name}\` |`)
  }
  for (const code of ["INVALID_PARAMETER", "METHOD_NOT_ALLOWED", "UNAVAILABLE"]) {
    expect(text).toContain(`\`${code}\``)
  }
})

test("A list leads into the explorer with the same parameters", async () => {
  const link = (address: string) => `<a href="${address}">`
  const tenements = await pageOf("/docs/reference/tenements")
  expect(tenements).toContain(link("/explore/tenements"))
  expect(tenements).toContain(`${link("/explore/tenements?state=WA")}<code>WA</code></a>`)
  expect(await pageOf("/docs/reference/subsidiaries")).toContain(link("/explore/subsidiaries"))
  const links = [...tenements.matchAll(/href="(\/explore\/[^"]*)"/g)].map(([, path = ""]) => path)
  const person = await signedInVisitor(service, "admin@example.com")
  for (const path of links) await person.read(path.replaceAll("&amp;", "&"))
})

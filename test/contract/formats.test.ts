/**
 * CSV (RFC 4180) and TSV have the records and values of the JSON list, and are safe to open in a
 * spreadsheet.
 */
import { afterAll, expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { testService } from "../support/service.ts"
import { parseCsv, parseTsv } from "./delimited-reader.ts"
import { expectedLists } from "./oracle.ts"

const service = await testService()
afterAll(() => service.stop())

const lists = Object.entries(expectedLists(awkward))
const freeText = (name: string) => !/_date$|_at$/.test(name)

const csvCell = (guarded: boolean) => (name: string, value: unknown) =>
  typeof value !== "string"
    ? String(value ?? "")
    : guarded && freeText(name) && /^[=+\-@\t\r]/.test(value)
      ? `'${value}`
      : value

const tsvCell = (guarded: boolean) => (name: string, value: unknown) =>
  csvCell(guarded)(name, value).replace(/[\t\r\n]+/g, " ")

const cells = (records: readonly object[], cell: (name: string, value: unknown) => string) => [
  Object.keys(records[0] ?? {}),
  ...records.map((record) => Object.entries(record).map(([name, value]) => cell(name, value))),
]

test.each(lists)("%s has the same cells in all three formats", async (path, records) => {
  const text = async (query: string) => (await service.get(`${path}?per_page=100&${query}`)).text()
  const json = JSON.parse(await text("format=json")).data
  expect(json).toEqual(records)
  expect(parseCsv(await text("format=csv"))).toEqual(cells(json, csvCell(true)))
  expect(parseTsv(await text("format=tsv"))).toEqual(cells(json, tsvCell(true)))
  const bare = "formula_guard=false"
  expect(parseCsv(await text(`format=csv&${bare}`))).toEqual(cells(json, csvCell(false)))
  expect(parseTsv(await text(`format=tsv&${bare}`))).toEqual(cells(json, tsvCell(false)))
})

test.each(lists)("%s exported whole is what its pages hold together", async (path, records) => {
  for (const format of ["csv", "tsv"]) {
    const whole = await (await service.get(`${path}?format=${format}&all=true`)).text()
    const header = whole.slice(0, whole.indexOf("\r\n") + 2)
    let pages = header
    for (let page = 1; page <= Math.ceil(records.length / 4); page++) {
      const query = `format=${format}&per_page=4&page=${page}`
      const body = await (await service.get(`${path}?${query}`)).text()
      expect(body.startsWith(header)).toBe(true)
      pages += body.slice(header.length)
    }
    expect(whole).toBe(pages)
  }
})

test("a whole CSV, byte by byte", async () => {
  const answer = await service.get("/companies/BIG/subsidiaries?format=csv")
  expect(answer.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
  expect(await answer.text()).toBe(
    "id,name,parent_asx_code,country,ownership_percentage\r\n" +
      `s-3,"'=Formula, Inc",BIG,'-,0\r\n` +
      "s-2,Alpha Holdings,BIG,Australia,100\r\n" +
      "S-1,Beta Holdings,BIG,Côte d'Ivoire,33.33\r\n" +
      "s-1,beta Holdings,BIG,Chile,51\r\n" +
      "s-10,BETA HOLDINGS,BIG,,\r\n",
  )
})

test("a whole TSV, byte by byte", async () => {
  const answer = await service.get("/reports?format=tsv&company=STR")
  expect(answer.headers.get("content-type")).toBe(
    "text/tab-separated-values; charset=utf-8; header=present",
  )
  expect(await answer.text()).toBe(
    "hash\tasx_code\ttitle\ttype\tpublished_at\turl\r\n" +
      'a5\tSTR\tTabs and "quotes", and lines\t\t2026-02-01T12:30:00Z\thttps://example.com/a5.pdf\r\n' +
      "a6\tSTR\t50% of_all \\ ÄRZTE\tHalf; Year; Half\t1999-12-31T23:59:59Z\thttps://example.com/a6.pdf\r\n",
  )
})

test("a byte order mark comes once, first, and only when asked for", async () => {
  for (const format of ["csv", "tsv"]) {
    for (const whole of ["", "&all=true"]) {
      const path = `/companies?format=${format}${whole}`
      const bytes = async (query: string) =>
        Buffer.from(await (await service.get(`${path}${query}`)).arrayBuffer())
      const [marked, plain] = [await bytes("&bom=true"), await bytes("&bom=false")]
      expect(marked).toEqual(Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), plain]))
      expect(plain.indexOf("\uFEFF")).toBe(-1)
    }
  }
})

test("a page past the last and an export of nothing are a header row alone", async () => {
  for (const query of ["page=99", "holder=no-one", "holder=no-one&all=true"]) {
    const body = await (await service.get(`/tenements?format=csv&${query}`)).text()
    expect(body).toBe(
      "id,tenement_id,state,status,type,holder_name,grant_date,expiry_date,area_km2\r\n",
    )
  }
})

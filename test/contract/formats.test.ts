/**
 * Every format has the records and values of the JSON list. CSV (RFC 4180) and TSV are safe to open in a
 * spreadsheet.
 */
import { expect, test } from "bun:test"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { awkward } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { parseCsv, parseTsv } from "./delimited-reader.ts"
import { expectedLists } from "./oracle.ts"

const service = await serviceOfFile()

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

test("A whole CSV is exact to the byte", async () => {
  const response = await service.get("/companies/BIG/subsidiaries?format=csv")
  expect(response.headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present")
  expect(await response.text()).toBe(
    "id,name,parent_asx_code,country,ownership_percentage\r\n" +
      `s-3,"'=Formula, Inc",BIG,'-,0\r\n` +
      "s-2,Alpha Holdings,BIG,Australia,100\r\n" +
      "S-1,Beta Holdings,BIG,Côte d'Ivoire,33.33\r\n" +
      "s-1,beta Holdings,BIG,Chile,51\r\n" +
      "s-10,BETA HOLDINGS,BIG,,\r\n",
  )
})

test("A whole TSV is exact to the byte", async () => {
  const response = await service.get("/reports?format=tsv&company=STR")
  expect(response.headers.get("content-type")).toBe(
    "text/tab-separated-values; charset=utf-8; header=present",
  )
  expect(await response.text()).toBe(
    "hash\tasx_code\ttitle\ttype\tpublished_at\turl\r\n" +
      'a5\tSTR\tTabs and "quotes", and lines\t\t2026-02-01T12:30:00Z\thttps://example.com/a5.pdf\r\n' +
      "a6\tSTR\t50% of_all \\ ÄRZTE\tHalf; Year; Half\t1999-12-31T23:59:59Z\thttps://example.com/a6.pdf\r\n",
  )
})

test("A byte order mark comes once, first, and only when requested", async () => {
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

test("A page past the last and an empty export have only a header row", async () => {
  for (const query of ["page=99", "holder=no-one", "holder=no-one&all=true"]) {
    const body = await (await service.get(`/tenements?format=csv&${query}`)).text()
    expect(body).toBe(
      "id,tenement_id,state,status,type,holder_name,grant_date,expiry_date,area_km2\r\n",
    )
  }
})

const linesOf = (text: string): unknown[] => {
  expect(text === "" || text.endsWith("\n")).toBe(true)
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

test.each(lists)("%s as NDJSON has a line for each record", async (path, records) => {
  const text = async (query: string) => (await service.get(`${path}?${query}`)).text()
  expect(linesOf(await text("format=ndjson&all=true"))).toEqual(records)
  expect(linesOf(await text("format=ndjson&per_page=3&page=2"))).toEqual(records.slice(3, 6))
  const [name = ""] = Object.keys(records[0] ?? {}).slice(-1)
  const picked = records.map((record) => ({ [name]: Object.entries(record).at(-1)?.[1] }))
  expect(linesOf(await text(`format=ndjson&all=true&fields=${name}`))).toEqual(picked)
})

test("NDJSON of no record is empty, and its errors are JSON", async () => {
  const nothing = await service.get("/tenements?holder=no-one&format=ndjson&all=true")
  expect([nothing.headers.get("content-type"), await nothing.text()]).toEqual([
    "application/x-ndjson",
    "",
  ])
  const fault = await service.get("/tenements?state=XX&format=ndjson")
  expect([fault.status, fault.headers.get("content-type")]).toEqual([400, "application/json"])
})

async function parquet(path: string) {
  const response = await service.get(path, { headers: { "Accept-Encoding": "gzip" } })
  expect(response.headers.get("content-type")).toBe("application/vnd.apache.parquet")
  expect(response.headers.get("content-encoding")).toBeNull()
  const file = await response.arrayBuffer()
  return { response, metadata: parquetMetadata(file), rows: await parquetReadObjects({ file }) }
}

const parquetValue = (name: string, value: unknown) =>
  typeof value === "string" && !freeText(name)
    ? new Date(value)
    : Number.isInteger(value) && !/percentage|area/.test(name)
      ? BigInt(Number(value))
      : value

const parquetRow = (record: object) =>
  Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, parquetValue(name, value)]),
  )

test.each(lists)("%s as Parquet has the records of JSON", async (path, records) => {
  const { response, rows } = await parquet(`${path}?format=parquet&all=true`)
  expect(rows).toEqual(records.map(parquetRow))
  expect(response.headers.get("x-total-count")).toBe(String(records.length))
  const name = path.split("/").at(-1)
  expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}.parquet"`)
})

test("A Parquet file names its release, its query and the licences of its sources", async () => {
  await service.sql`insert into sources (name, resource, last_outcome, last_release, licence)
    values ('wa', 'tenements', 'published', 1, 'CC BY 4.0'),
      ('asx-directory', 'companies', 'published', 1, 'None')`
  const path = "/tenements?all=true&format=parquet&state=WA&fields=id,asx_codes,since_release"
  const { metadata, rows } = await parquet(path)
  const pairs = metadata.key_value_metadata?.map(({ key, value }) => [key, value])
  expect(pairs).toEqual([
    ["release", "1"],
    [
      "query",
      "/api/v1/tenements?all=true&fields=id%2Casx_codes%2Csince_release&format=parquet&state=WA",
    ],
    ["licences", '[{"source":"wa","licence":"CC BY 4.0","attribution":null}]'],
  ])
  const expected = awkward.tenements.filter(({ state }) => state === "WA")
  expect(rows.map(({ id, asx_codes }) => [id, asx_codes]).sort()).toEqual(
    expected.map(({ id, asx_codes }) => [id, asx_codes.join("; ")]).sort(),
  )
  expect(rows.every(({ since_release }) => since_release === 1n)).toBe(true)
})

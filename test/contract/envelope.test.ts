/**
 * A list is exactly `data` and `meta`, and a record exactly `data`; a client that increments `page`
 * up to `total_pages` receives every record (interface specification, sections 1 and 4).
 */
import { expect, test } from "bun:test"
import { awkward, none, shown } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { expectedLists } from "./oracle.ts"

const service = await serviceOfFile()

const lists = Object.entries(expectedLists(awkward))

test.each(lists)(
  "%s is exactly data and meta, its fields in the interface's order",
  async (path, records) => {
    const response = await service.get(path)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    const meta = { total: records.length, page: 1, per_page: 50, total_pages: 1 }
    expect(await response.text()).toBe(JSON.stringify({ data: records, meta }))
  },
)

test.each(lists)("%s names its pages, also past the last", async (path, records) => {
  for (const page of [2, 99]) {
    const response = await service.get(`${path}?page=${page}&per_page=3`)
    const total_pages = Math.ceil(records.length / 3)
    expect(await response.json()).toEqual({
      data: page === 2 ? records.slice(3, 6) : [],
      meta: { total: records.length, page, per_page: 3, total_pages },
    })
  }
})

test("The largest exact integer is a valid page number", async () => {
  const page = Number.MAX_SAFE_INTEGER
  const response = await service.get(`/tenements?page=${page}&per_page=100`)
  const meta = { total: awkward.tenements.length, page, per_page: 100, total_pages: 1 }
  expect(await response.json()).toEqual({ data: [], meta })
})

test("A single record is exactly data, for any characters in its id", async () => {
  const { companies, tenements, reports } = shown(awkward)
  const paths = [
    ...companies.map((record) => [`/companies/${record.asx_code}`, record] as const),
    ...tenements.map((record) => [`/tenements/${record.id}`, record] as const),
    ...reports.map((record) => [`/reports/${record.hash}`, record] as const),
  ]
  for (const [path, record] of paths) {
    const response = await service.get(path)
    expect([path, await response.text()]).toEqual([path, JSON.stringify({ data: record })])
  }
})

test("Company codes match in any case; tenement ids and hashes match exactly", async () => {
  const [lower, upper] = await Promise.all(
    ["/companies/oldco", "/companies/OLDCO"].map((path) => service.get(path)),
  )
  expect(await lower?.text()).toBe((await upper?.text()) ?? "")
  expect((await service.get("/tenements/nsw-el-1")).status).toBe(404)
  expect((await service.get("/reports/B-._~0")).status).toBe(404)
})

test("A company's list is empty without records and 404 without the company", async () => {
  const empty = { data: [], meta: { total: 0, page: 1, per_page: 50, total_pages: 0 } }
  for (const list of ["tenements", "subsidiaries"]) {
    expect(await (await service.get(`/companies/ATS/${list}`)).json()).toEqual(empty)
    // ZZZ is the parent of a subsidiary, but no company.
    expect((await service.get(`/companies/ZZZ/${list}`)).status).toBe(404)
    expect((await service.get(`/companies/oldco/${list}`)).status).toBe(200)
  }
})

test("A service without records returns empty lists", async () => {
  await service.publish(none)
  for (const path of ["/companies", "/tenements", "/reports"]) {
    expect(await (await service.get(path)).json()).toEqual({
      data: [],
      meta: { total: 0, page: 1, per_page: 50, total_pages: 0 },
    })
    expect(await (await service.get(`${path}?format=csv&all=true`)).text()).toMatch(
      /^[a-z_0-9,]+\r\n$/,
    )
  }
})

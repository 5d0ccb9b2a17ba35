/**
 * Pages read one after another, backwards, at random or in parallel together are the list, in its
 * order and without gaps or duplicates.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type Fixtures, sampleFixtures } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { readList } from "./bodies.ts"
import { crawl } from "./crawl.ts"
import { parseCsv, parseTsv } from "./delimited-reader.ts"
import { by, expectedLists, folded, inOrder } from "./oracle.ts"

let service: TestService

const sizes = { companies: 130, tenements: 420, subsidiaries: 260, reports: 510 }
const sample = sampleFixtures(sizes)
const owner = sample.companies[0]?.asx_code ?? ""
/** As though the largest company were BIG, whose lists the oracle tells. */
const renamed: Fixtures = JSON.parse(JSON.stringify(sample).replaceAll(`"${owner}"`, '"BIG"'))
const expected = expectedLists(renamed)

beforeAll(async () => {
  service = await testService({ records: renamed })
})

afterAll(() => service.stop())

const sizesOfPages = [1, 7, 50, 100]

test.each(Object.entries(expected))(
  "the pages of %s add up to the whole",
  async (path, records) => {
    expect(records.length).toBeGreaterThan(10)
    const few = records.length > 150 ? sizesOfPages.slice(1) : sizesOfPages
    for (const perPage of few) expect(await crawl(service, path, perPage)).toEqual([...records])
  },
)

test.each(Object.entries(expected))(
  "the export of %s is its pages' set in their order",
  async (path, records) => {
    for (const format of ["csv", "tsv"]) {
      const answer = await service.get(`${path}?format=${format}&all=true&formula_guard=false`)
      const text = await answer.text()
      expect(answer.headers.get("x-total-count")).toBe(String(records.length))
      const rows = format === "csv" ? parseCsv(text) : parseTsv(text)
      const keys = records.map((record) => String(Object.values(record)[0]))
      expect(rows.slice(1).map(([key]) => key)).toEqual(keys)
    }
  },
)

const sorts = {
  name: ({ company_name }: Company) => folded(company_name),
  market_cap: ({ market_cap_aud }: Company) => market_cap_aud,
  asx_code: ({ asx_code }: Company) => asx_code,
}
type Company = Fixtures["companies"][number]
const cases = Object.entries(sorts).flatMap(([sort, key]) =>
  (["asc", "desc"] as const).map((order) => [sort, order, key] as const),
)

test.each(cases)(
  "companies by %s %s come once each, pages of 7 or one export",
  async (sort, order, key) => {
    const ordered = inOrder(
      renamed.companies.filter(({ is_active }) => is_active),
      by(key, order),
      by(({ asx_code }) => asx_code),
    ).map(({ asx_code }) => asx_code)
    const path = `/companies?sort=${sort}&order=${order}`
    const crawled = await crawl(service, path, 7)
    expect(crawled.map(({ asx_code }) => asx_code)).toEqual(ordered)
    const exported = parseCsv(await (await service.get(`${path}&format=csv&all=true`)).text())
    expect(exported.slice(1).map(([code]) => code)).toEqual(ordered)
  },
)

test("pages read backwards and at random are the pages read in order", async () => {
  const path = "/companies?sort=market_cap&order=desc&per_page=9"
  const read = async (page: number) => (await service.get(`${path}&page=${page}`)).text()
  const pages = Array.from({ length: 13 }, (_, index) => index + 1)
  const backwards: string[] = []
  for (const page of pages.toReversed()) backwards.unshift(await read(page))
  const forwards: string[] = []
  for (const page of pages) forwards.push(await read(page))
  expect(backwards).toEqual(forwards)
  expect(await Promise.all(pages.map(read))).toEqual(forwards)
})

test("crawls at the same time, of one list and of others, do not disturb each other", async () => {
  const paths = [
    "/reports",
    "/reports",
    "/tenements?state=WA",
    "/tenements?state=QLD",
    "/companies?sort=market_cap",
    "/companies?sort=market_cap&order=desc",
    "/companies/BIG/tenements",
  ]
  const alone = []
  for (const path of paths) alone.push(await crawl(service, path, 100))
  const together = await Promise.all(paths.map((path, index) => crawl(service, path, 11 + index)))
  expect(together).toEqual(alone)
})

test("a crawl stays on the release of its page 1, and a new one begins on the newest", async () => {
  const moving = await testService({ records: renamed })
  const first = await readList(await moving.get("/reports?per_page=100"))
  await moving.publish({ ...renamed, reports: renamed.reports.slice(0, 150) })
  const next = await moving.get("/reports?per_page=100&page=2")
  expect(next.headers.get("x-data-release")).toBe("1")
  const { data, meta } = await readList(next)
  expect([first.meta.total, meta.total, data.length]).toEqual([510, 510, 100])
  const fresh = await moving.get("/reports?per_page=100")
  expect(fresh.headers.get("x-data-release")).toBe("2")
  expect((await readList(fresh)).meta.total).toBe(150)
  await moving.stop()
})

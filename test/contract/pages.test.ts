/**
 * Pages read one after another, backwards, at random or in parallel together are the list, in its
 * order and without gaps or duplicates.
 */
import { expect, test } from "bun:test"
import { type Fixtures, sampleFixtures } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { expectedLists } from "./oracle.ts"

const sizes = { companies: 130, tenements: 420, subsidiaries: 260, reports: 510 }
const sample = sampleFixtures(sizes)
const owner = sample.companies[0]?.asx_code ?? ""
/** As though the largest company were BIG, whose lists the oracle tells. */
const renamed: Fixtures = JSON.parse(JSON.stringify(sample).replaceAll(`"${owner}"`, '"BIG"'))
const expected = expectedLists(renamed)

const service = await serviceOfFile({ records: renamed })

test.each(Object.entries(expected))(
  "the pages of %s add up to the whole",
  async (path, records) => {
    expect(records.length).toBeGreaterThan(10)
    for (const perPage of [7, 50]) expect(await crawl(service, path, perPage)).toEqual([...records])
  },
)

test("pages read in any order equal the pages read in sequence", async () => {
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

test("concurrent crawls do not disturb each other", async () => {
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

/**
 * Pages read one after another, backwards, at random or in parallel together are the list, in its
 * order and without gaps or duplicates.
 */
import { expect, test } from "bun:test"
import { none, reportsOfTitle, sampleFixtures } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { readList } from "./bodies.ts"

const sizes = { companies: 130, tenements: 420, subsidiaries: 260, reports: 510 }
const service = await serviceOfFile({ records: sampleFixtures(sizes) })

test("Pages read in any order equal the pages read in sequence", async () => {
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

test("Pages beyond 5,000 records are those of the list, at the newest release and at an earlier one", async () => {
  const records = reportsOfTitle("Deep", 7_000)
  await service.publish(records)
  const hashes = records.reports.map(({ hash }) => hash).sort()
  const expectPages = async (query: string) => {
    for (const page of [70, 52, 61, 69, 53, 71, 1]) {
      const { data } = await readList(
        await service.get(`/reports?per_page=100&page=${page}${query}`),
      )
      const expected = hashes.slice((page - 1) * 100, page * 100)
      expect([page, data.map(({ hash }) => hash)]).toEqual([page, expected])
    }
  }
  await expectPages("")
  await service.publish({ ...none, reports: records.reports.slice(0, 10) })
  await expectPages("&as_of=2")
})

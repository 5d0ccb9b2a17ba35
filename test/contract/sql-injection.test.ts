/** SQL in a parameter or a path is text: the answers are the right ones, and nothing has changed. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { expectedLists } from "./oracle.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(async () => {
  for (const [path, records] of Object.entries(expectedLists(awkward))) {
    expect(await crawl(service, path, 100)).toEqual([...records])
  }
  expect(service.logLines.filter((line) => line.includes("request failed"))).toEqual([])
  await service.stop()
})

const injections = [
  "' or '1'='1",
  "'; drop table companies; --",
  '" or ""="',
  "1) or (1=1",
  "x' union select sha256 from tokens --",
  "%' or '%'='",
  "\\' or 1=1 --",
  "$1",
  "{}",
  "'||pg_sleep(5)||'",
  "0; select pg_sleep(5)",
  "*/ or /*",
  "a' and 1=cast((select prefix from tokens limit 1) as int) --",
]

test.each(injections)("SQL in a parameter, %j, is text like any other", async (sql) => {
  const value = encodeURIComponent(sql)
  const texts: [path: string, names: string[]][] = [
    ["/companies", ["search", "sector"]],
    ["/tenements", ["status", "type", "holder"]],
    ["/companies/BIG/tenements", ["status"]],
    ["/reports", ["company", "type", "search"]],
  ]
  for (const [path, parameters] of texts) {
    for (const name of parameters) {
      for (const format of ["json", "csv&all=true"]) {
        const answer = await service.get(`${path}?${name}=${value}&format=${format}`)
        expect([path, name, answer.status]).toEqual([path, name, 200])
        expect(answer.headers.get("x-total-count")).toBe("0")
      }
    }
  }
  for (const path of ["/companies/", "/tenements/", "/reports/"]) {
    expect((await service.get(`${path}${value}`)).status).toBe(404)
  }
  expect((await service.get(`/companies/${value}/tenements`)).status).toBe(404)
})

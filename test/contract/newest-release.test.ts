/** Reads of the newest release never touch the history: they answer where its tables are not there. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { resourceNames } from "../../src/resources/resource.ts"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
  await service.publish({ ...awkward, reports: awkward.reports.slice(0, 5) })
  for (const name of resourceNames) {
    await service.sql`alter table ${service.sql(`${name}_history`)} rename to ${service.sql(`${name}_hidden`)}`
  }
})

afterAll(() => service.stop())

test.each([
  ["/companies", 200],
  ["/companies?search=nothing+has+this+name", 200],
  ["/companies?page=99", 200],
  ["/companies?format=csv&all=true", 200],
  ["/companies/BIG", 200],
  ["/companies/ZZZ", 404],
  ["/companies/BIG/tenements", 200],
  ["/companies/ZZZ/tenements", 404],
  ["/companies/BIG/subsidiaries?per_page=1&page=2", 200],
  ["/tenements/WA-E47-1234", 200],
  ["/tenements/unknown", 404],
  ["/tenements/unknown?as_of=2", 404],
  ["/reports/a1", 200],
  // It was there before.
  ["/reports/a9", 404],
  ["/reports?as_of=2", 200],
])("%s is answered with %d", async (path, status) => {
  expect((await service.get(path)).status).toBe(status)
})

test("an older release is read from them", async () => {
  expect((await service.get("/tenements?as_of=1")).status).toBe(500)
  expect((await service.get("/tenements/unknown?as_of=1")).status).toBe(500)
})

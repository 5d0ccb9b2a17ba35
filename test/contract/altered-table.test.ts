/**
 * When an operator alters a table under a running service, its prepared statements are prepared
 * again and no request fails.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  // Few connections, so that the statements that were prepared are those that are asked again.
  service = await testService({ settings: { DATABASE_CONNECTIONS: "6" } })
})

afterAll(() => service.stop())

test("an altered column changes no answer of statements that are prepared already", async () => {
  const queries = ["active=true", "active=false", "active=true&sector=energy", "search=o"]
  const paths = [
    ...queries.map((query) => `/companies?per_page=100&${query}`),
    ...queries.map((query) => `/companies?per_page=2&page=2&${query}`),
    "/companies/BIG",
    "/companies/BIG/tenements",
    "/companies/NONE",
  ]
  const answers = async () => {
    const found: unknown[] = []
    for (const path of paths) {
      const answer = await service.get(path)
      found.push([path, answer.status, await answer.text()])
    }
    return found
  }
  const before = await answers()
  await service.sql`alter table companies alter column market_cap_aud type numeric`
  expect(await answers()).toEqual(before)
})

/**
 * The order of every list is total, and independent of the order of loading and of the database's
 * locale.
 */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { awkward, shown } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { by, expectedLists, folded, inOrder } from "./oracle.ts"

let service: TestService

beforeAll(async () => {
  service = await testService({ records: awkward })
})

afterAll(() => service.stop())

/** Loaded in two orders, so that the order of the tables' rows can't pass for the right one. */
const reversed = {
  companies: awkward.companies.toReversed(),
  tenements: awkward.tenements.toReversed(),
  subsidiaries: awkward.subsidiaries.toReversed(),
  reports: awkward.reports.toReversed(),
}

const { companies } = shown(awkward)
type Company = (typeof companies)[number]
const keys = {
  name: ({ company_name }: Company) => folded(company_name),
  market_cap: ({ market_cap_aud }: Company) => market_cap_aud,
  asx_code: ({ asx_code }: Company) => asx_code,
}

test.each(["as they are", "in reverse"])(
  "every order is total, with the rows loaded %s",
  async (how) => {
    await service.publish(how === "in reverse" ? reversed : awkward)
    for (const [path, records] of Object.entries(expectedLists(awkward))) {
      for (const perPage of [1, 2, 100])
        expect(await crawl(service, path, perPage)).toEqual([...records])
    }
    for (const [sort, key] of Object.entries(keys)) {
      for (const order of ["asc", "desc"] as const) {
        for (const active of [true, false]) {
          const ordered = inOrder(
            companies.filter(({ is_active }) => is_active === active),
            by(key, order),
            by(({ asx_code }) => asx_code),
          )
          const path = `/companies?active=${active}&sort=${sort}&order=${order}`
          for (const perPage of [1, 3, 100]) {
            expect([path, perPage, await crawl(service, path, perPage)]).toEqual([
              path,
              perPage,
              ordered,
            ])
          }
        }
      }
    }
  },
)

test("unknown market capitalisations come last in both directions, ties by code", async () => {
  for (const order of ["asc", "desc"]) {
    const crawled = await crawl(service, `/companies?sort=market_cap&order=${order}`, 5)
    const unknown = crawled.slice(-3).map(({ asx_code }) => asx_code)
    expect(unknown).toEqual(["DUP", "DUQ", "NULL"])
    expect(crawled.slice(0, -3).every(({ market_cap_aud }) => market_cap_aud !== null)).toBe(true)
    const tied = crawled.filter(({ market_cap_aud }) => market_cap_aud === 250_000_000_000)
    expect(tied.map(({ asx_code }) => asx_code)).toEqual(["BI2", "BIG"])
  }
})

test("names that differ in case alone are ties, and ties are ordered by code in both directions", async () => {
  for (const order of ["asc", "desc"]) {
    const crawled = await crawl(service, `/companies?order=${order}&search=same+name`, 2)
    expect(crawled.map(({ asx_code }) => asx_code)).toEqual(["DUP", "DUQ", "DUR"])
  }
})

test("order does not follow the database's locale but the bytes of folded text", async () => {
  const codes = (await crawl(service, "/companies", 100)).map(({ asx_code }) => asx_code)
  // Å sorts after z; an astral letter after every other.
  expect(codes.slice(-4)).toEqual(["ANG", "SIG", "FWD", "AST"])
  const ids = (await crawl(service, "/tenements", 100)).map(({ id }) => id)
  expect(ids.slice(-3)).toEqual(["WA-E47-1234", "WA-E47-1235", "wa-e47-1234"])
  expect(ids.slice(1, 4)).toEqual(["NT-1", "NT-10", "NT-2"])
})

test("reports of one second are ordered by hash, newest second first", async () => {
  const hashes = (await crawl(service, "/reports?from=2026-02-01&to=2026-02-01", 1)).map(
    ({ hash }) => hash,
  )
  expect(hashes).toEqual(["a5", "A3", "a2", "a3"])
})

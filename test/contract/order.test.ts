/**
 * The order of every list is total. Neither order nor values depend on the order of loading or on the
 * settings of the database.
 */
import { expect, test } from "bun:test"
import { awkward, shown, tenementsOf } from "../support/fixtures.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { crawl } from "./crawl.ts"
import { by, expectedLists, folded, inOrder } from "./oracle.ts"

const service = await serviceOfFile({ records: awkward })

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
  total_tenements: ({ total_tenements }: Company) => total_tenements,
}

test.each(["as they are", "in reverse"])(
  "Every order is total, with the rows loaded %s",
  async (how) => {
    await service.publish(how === "in reverse" ? reversed : awkward)
    for (const [path, records] of Object.entries(expectedLists(awkward))) {
      for (const perPage of [2, 100])
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
          for (const perPage of [3, 100]) {
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

test("Every order of tenements is total, with unknown values last, in every list of them", async () => {
  const { tenements } = shown(awkward)
  const idsOfBig = tenementsOf(awkward.tenements, "BIG").map(({ id }) => id)
  const lists = {
    "/tenements": tenements,
    "/companies/BIG/tenements": tenements.filter(({ id }) => idsOfBig.includes(id)),
  }
  for (const [path, records] of Object.entries(lists)) {
    for (const sort of ["id", "grant_date", "expiry_date", "area_km2"] as const) {
      for (const order of ["asc", "desc"] as const) {
        const query = `${path}?sort=${sort}&order=${order}`
        const ordered = inOrder(
          records,
          by((tenement) => tenement[sort], order),
          by(({ id }) => id),
        )
        for (const perPage of [2, 100]) {
          expect([query, await crawl(service, query, perPage)]).toEqual([query, ordered])
        }
        const exported = await service.get(`${query}&format=csv&all=true`)
        const ids = (await exported.text())
          .split("\r\n")
          .slice(1, -1)
          .map((line) => line.split(",")[0])
        expect(ids).toEqual(ordered.map(({ id }) => id))
      }
    }
  }
})

test("Dates, times and numbers are the same whatever formats the database sets for its sessions", async () => {
  const name = new URL(service.database.url).pathname.slice(1)
  for (const setting of [
    "datestyle = 'SQL, DMY'",
    "timezone = 'Australia/Perth'",
    "intervalstyle = 'iso_8601'",
    "extra_float_digits = -10",
  ]) {
    await service.sql.unsafe(`alter database ${name} set ${setting}`)
  }
  await using other = await testService({ beside: service })
  for (const path of [
    "/tenements",
    "/tenements?format=csv&all=true",
    "/tenements/NT-1",
    "/reports?from=2025-01-01",
    "/reports?format=tsv&all=true",
    "/releases",
  ]) {
    const [expected, shown] = await Promise.all([service.get(path), other.get(path)])
    expect([path, shown.status, await shown.text()]).toEqual([path, 200, await expected.text()])
  }
})

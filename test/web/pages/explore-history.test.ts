/** A record's page has its versions, as far as the release that it shows. */
import { expect, test } from "bun:test"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { cellsOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

/** In each release after the first, the tenements' holder is another one. */
const heldBy = (holder_name: string): Fixtures => ({
  ...awkward,
  tenements: awkward.tenements.map((tenement) => ({ ...tenement, holder_name })),
})

const service = await serviceOfFile({ records: heldBy("First <b>") })
await service.publish(heldBy("Second"))
await service.publish(heldBy("Second"))
const files = [{ name: "a<1>.csv" }, { name: "b.csv" }]
const observed = "2025-12-24T00:00:00Z"
const manifest = JSON.stringify({ files, observed, observed_is_known: true })
await service.sql`update releases set manifest = ${manifest}::text::jsonb where id = 2`
const person = await signedInVisitor(service, "admin@example.com")

const at = "2026-01-01 00:00 UTC"
const newest = ["3", "–", at, "current", "Linked companies", "test"]
const second = [
  "2",
  "2025-12-24",
  at,
  at,
  "Holder: First <b> → Second",
  "test | 2 files a<1>.csv | b.csv",
]
const first = ["1", "–", at, at, "–", "test"]

test("A tenement's page has its versions, newest first: when their files were true, and each change", async () => {
  const page = await person.read("/explore/tenements/WA-E47-1234")
  expect(cellsOf(page, "History")).toEqual([newest, second, first])
  expect(page).toContain("<code>/api/v1/tenements/WA-E47-1234/history</code>")
})

test("A page at an earlier release shows the versions known then", async () => {
  const page = await person.read("/explore/tenements/WA-E47-1234?as_of=2")
  expect(cellsOf(page, "History")).toEqual([second.with(3, "current"), first])
})

test("The pages of a company and of an announcement show their versions", async () => {
  for (const path of ["companies/big", "reports/a1"]) {
    const versions = cellsOf(await person.read(`/explore/${path}`), "History")
    expect(versions.map(([release]) => release)).toEqual(["3", "2", "1"])
  }
})

test("A page shows the newest of many versions and their number", async () => {
  for (let release = 4; release <= 12; release++) await service.publish(heldBy(`Holder ${release}`))
  const page = await person.read("/explore/tenements/WA-E47-1234")
  expect(cellsOf(page, "History").map(([release]) => release)).toEqual(
    Array.from({ length: 10 }, (_, index) => String(12 - index)),
  )
  expect(page).toContain("The newest 10 of 12 versions.")
  expect(cellsOf(page, "History").at(-1)?.[4]).toBe("Linked companies")
})

const worth = (market_cap_aud: number | null): Fixtures => ({
  ...awkward,
  companies: awkward.companies.map((company) =>
    company.asx_code === "BIG" ? { ...company, market_cap_aud } : company,
  ),
})

test("The history of a company has each change of its capitalisation", async () => {
  for (const value of [300e9, null, 200e9]) await service.publish(worth(value))
  const page = await person.read("/explore/companies/BIG")
  expect(
    cellsOf(page, "History")
      .slice(0, 3)
      .map((cells) => cells[4]),
  ).toEqual([
    "Market cap, A$: – → 200,000,000,000",
    "Market cap, A$: 300,000,000,000 → –",
    "Market cap, A$: 250,000,000,000 → 300,000,000,000",
  ])
})

test("A company's end of listing is written as on its page", async () => {
  const companies = awkward.companies.map((each) =>
    each.asx_code === "BIG" ? { ...each, is_active: false } : each,
  )
  await service.publish({ ...awkward, companies })
  const [last] = cellsOf(await person.read("/explore/companies/big"), "History")
  expect(last?.[4]).toContain("Listed: active → inactive")
})

test("A company that was listed after a release is not suggested for its own code at that release", async () => {
  const [company] = awkward.companies
  if (!company) throw new Error("There is no company")
  const later = { ...company, asx_code: "QLATE", company_name: "Another Quarry Ltd" }
  await service.publish({ ...awkward, companies: [...awkward.companies, later] })
  const suggested = async (query: string) =>
    (await person.read(`/explore/tenements?${query}`)).includes("Another Quarry Ltd (QLATE)")
  expect(await suggested("company=QLATX")).toBe(true)
  expect(await suggested("company=QLATX&as_of=1")).toBe(false)
  expect(await suggested("company=QLATE&as_of=1")).toBe(false)
})

/** The explorer stays on one release: that of page 1, or the one that a person selects. */
import { expect, test } from "bun:test"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { addressesIn, barsOf, cellsOf, factsOf, headingOf, leadOf, linkTo } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const few = {
  ...awkward,
  companies: awkward.companies.map((company) => ({
    ...company,
    company_name: `New ${company.company_name}`,
  })),
  tenements: awkward.tenements.slice(0, 2),
  reports: awkward.reports.slice(0, 2),
}
const before = awkward.tenements.length

const service = await serviceOfFile()
const person = await signedInVisitor(service, "admin@example.com")

test("Pages and downloads stay on the release of the session's page 1, and say so", async () => {
  const first = await person.read("/explore/tenements?per_page=4")
  await service.publish(few)
  const inAnotherSession = await signedInVisitor(service, "admin@example.com")
  const another = await inAnotherSession.read("/explore/tenements?per_page=4")
  expect(leadOf(another)).toBe("2 tenements, at release 2")
  const shown = [...cellsOf(first)]
  let next = linkTo(first, "Next")
  while (next) {
    const page = await person.read(next)
    expect(leadOf(page)).toBe(`${before} tenements, at release 1`)
    expect(page).toContain("Release 2 was published since you opened page 1.")
    expect(barsOf(page, "By status")?.reduce((sum, { records }) => sum + records, 0)).toBe(before)
    const download = await person.get(linkTo(page, "Download CSV") ?? "")
    await download.body?.cancel()
    expect(download.headers.get("x-data-release")).toBe("1")
    shown.push(...cellsOf(page))
    next = linkTo(page, "Next")
    if (next === undefined) {
      const again = await person.read(linkTo(page, "Begin again at page 1") ?? "")
      expect(leadOf(again)).toBe("2 tenements, at release 2")
      expect(again).not.toContain("was published since")
    }
  }
  expect(shown).toHaveLength(before)
})

test("A past release is shown with a notice, and every link keeps it", async () => {
  const page = await person.read("/explore/tenements?as_of=1&per_page=5")
  expect(leadOf(page)).toBe(`${before} tenements, at release 1`)
  expect(page).toContain("You see the data as of 1: release 1, published <time")
  expect(linkTo(page, "Show the present")).toBe("/explore/tenements?per_page=5")
  const ofData = addressesIn(page).filter((each) =>
    /^\/explore\/(tenements|companies)[/?]/.test(each),
  )
  expect(ofData.length).toBeGreaterThan(10)
  const leaving = linkTo(page, "Show the present")
  for (const address of ofData.filter((each) => each !== leaving)) {
    expect(new URL(address, service.url).searchParams.get("as_of")).toBe("1")
  }
  const present = await person.read("/explore/tenements?per_page=5")
  expect(leadOf(present)).toBe("2 tenements, at release 2")
})

test("A day works as a point in time, and a day without data returns an empty list", async () => {
  const page = await person.read("/explore/tenements?as_of=2026-01-15")
  expect(leadOf(page)).toBe("2 tenements, at release 2")
  const early = await person.read("/explore/tenements?as_of=2025-01-01")
  expect(early).toContain("You see the data as of 2025-01-01: before the first release.")
  expect(early).toContain("There are no tenements at release 0.")
})

test("A company and its records are shown at one release", async () => {
  const page = await person.read("/explore/companies/BIG?as_of=1")
  expect(headingOf(page)).toBe("Big Ore, Limited")
  expect(page).toContain("You see the data as of 1")
  expect(linkTo(page, "Show the present")).toBe("/explore/companies/BIG")
  const present = await person.read("/explore/companies/BIG")
  expect(headingOf(present)).toBe("New Big Ore, Limited")
  const total = (each: string) => Number(factsOf(each).Tenements)
  for (const each of [page, present]) {
    const bars = barsOf(each, "By state") ?? []
    expect(bars.reduce((sum, { records }) => sum + records, 0)).toBe(total(each))
  }
  expect(total(page)).toBeGreaterThan(total(present))
  const announced = ({ reports }: Fixtures) =>
    reports.filter(({ asx_code: code }) => code === "BIG").length
  for (const [each, records] of [
    [page, awkward],
    [present, few],
  ] as const) {
    expect(cellsOf(each, "Announcements")).toHaveLength(announced(records))
  }
  expect(announced(awkward)).not.toBe(announced(few))
})

test("A removed record is shown at a release that had it", async () => {
  const removed = awkward.tenements.at(-1)?.id ?? ""
  const page = await person.read(`/explore/tenements/${removed}`, 404)
  expect(page).toContain(`There is no tenement ${removed}`)
  expect(factsOf(await person.read(`/explore/tenements/${removed}?as_of=1`)).Identifier).toBe(
    removed,
  )
})

test("A form marks a pruned release at its field, and a record's page says that it is pruned", async () => {
  await service.sql`update releases set is_pruned = true where id = 1`
  const list = await person.read("/explore/companies?as_of=1", 400)
  expect(list).toContain("Must not be before release 2, the oldest that is available")
  const record = await person.read("/explore/companies/BIG?as_of=1", 400)
  expect(record).toContain("as_of: Must not be before release 2, the oldest that is available.")
})

test("A later page whose release was pruned links back to page 1", async () => {
  await service.publish(few)
  const next = linkTo(await person.read("/explore/tenements?per_page=1"), "Next") ?? ""
  await service.publish(awkward)
  await service.sql`update releases set is_pruned = true where id < (select max(id) from releases)`
  const page = await person.read(next, 400)
  expect(page).toContain("is no longer available; start again at page 1")
  expect(linkTo(page, "begin again at page 1")).toBe("/explore/tenements?per_page=1")
})

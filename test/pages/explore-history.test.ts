/** A record's page has its versions, as far as the release that it shows. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { awkward, type Fixtures } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { cellsOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

let service: TestService
let person: SignedInVisitor

/** In each release after the first, the tenements' holder is another one. */
const heldBy = (holder_name: string): Fixtures => ({
  ...awkward,
  tenements: awkward.tenements.map((tenement) => ({ ...tenement, holder_name })),
})

beforeAll(async () => {
  service = await testService({ records: heldBy("First <b>") })
  await service.publish(heldBy("Second"))
  await service.publish(heldBy("Second"))
  const manifest = JSON.stringify({ files: [{ name: "a<1>.csv" }, { name: "b.csv" }] })
  await service.sql`update releases set manifest = ${manifest}::text::jsonb where id = 2`
  person = await signedInVisitor(service, "admin@example.com")
})

afterAll(() => service.stop())

const at = "2026-01-01 00:00 UTC"
const newest = [at, "3", "current", "test", "–", "its links"]
const second = [at, "2", at, "test", "a<1>.csv | b.csv", "holder_name"]
const first = [at, "1", at, "test", "–", "–"]

test("a tenement's page has its versions, newest first", async () => {
  const page = await person.read("/explore/tenements/WA-E47-1234")
  expect(cellsOf(page, "History")).toEqual([newest, second, first])
  expect(page).toContain("<code>/api/v1/tenements/WA-E47-1234/history</code>")
})

test("at an earlier release, those that were known then", async () => {
  const page = await person.read("/explore/tenements/WA-E47-1234?as_of=2")
  expect(cellsOf(page, "History")).toEqual([[at, "2", "current", ...second.slice(3)], first])
})

test("so have the pages of a company, by its code in any case, and of an announcement", async () => {
  for (const path of ["companies/big", "reports/a1"]) {
    const versions = cellsOf(await person.read(`/explore/${path}`), "History")
    expect(versions.map(([, release]) => release)).toEqual(["3", "2", "1"])
  }
})

test("of many versions the newest are shown, and how many there are", async () => {
  for (let release = 4; release <= 12; release++) await service.publish(heldBy(`Holder ${release}`))
  const page = await person.read("/explore/tenements/WA-E47-1234")
  expect(cellsOf(page, "History").map(([, release]) => release)).toEqual(
    Array.from({ length: 10 }, (_, index) => String(12 - index)),
  )
  expect(page).toContain("The newest 10 of 12 versions.")
})

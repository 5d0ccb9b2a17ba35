/** What the explorer shows is what helps: rounded areas in lists, no counts of nothing, headings in order. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { awkward } from "../support/fixtures.ts"
import { type TestService, testService } from "../support/service.ts"
import { cellsOf, factsOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

const areas = [
  { value: 1e-7, inList: "<0.01", onRecord: "0.0000001" },
  { value: 0.0049, inList: "<0.01", onRecord: "0.0049" },
  { value: 0.005, inList: "0.01", onRecord: "0.005" },
  { value: 0, inList: "0.00", onRecord: "0.00" },
  { value: 12.5, inList: "12.50", onRecord: "12.50" },
  { value: 1_234_567.891234, inList: "1,234,567.89", onRecord: "1,234,567.891234" },
  { value: null, inList: "–", onRecord: "–" },
]

let service: TestService
let person: SignedInVisitor

beforeAll(async () => {
  const [first] = awkward.tenements
  if (!first) throw new Error("No tenements")
  const tenements = areas.map(({ value }, index) => ({
    ...first,
    id: `area-${index}`,
    area_km2: value,
  }))
  service = await testService({ records: { ...awkward, tenements } })
  person = await signedInVisitor(service, "admin@example.com")
})
afterAll(() => service.stop())

test("areas have two decimals in a list, and are exact on the record", async () => {
  const rows = cellsOf(await person.read("/explore/tenements"))
  expect(rows.map((cells) => cells.at(-1))).toEqual(areas.map(({ inList }) => inList))
  for (const [index, { onRecord }] of areas.entries()) {
    const facts = factsOf(await person.read(`/explore/tenements/area-${index}`))
    expect(facts["Area, km²"]).toBe(onRecord)
  }
})

test("a list without records has no counts by value", async () => {
  expect(await person.read("/explore/tenements")).toContain("By status")
  const page = await person.read("/explore/tenements?holder=nobody+of+this+name")
  expect(page).not.toContain("By st")
  expect(page).toContain("Use this view elsewhere")
})

test("counts of a company's tenements stand below their heading", async () => {
  const page = await person.read("/explore/companies/BIG")
  const headings = [...page.matchAll(/<h([23])\b[^>]*>(.*?)<\/h\1>/g)].map(
    ([, rank, text = ""]) => `${rank} ${text.replace(/<[^>]*>/g, "")}`,
  )
  expect(headings.slice(0, 3)).toEqual(["2 Tenements", "3 By state", "3 By status"])
})

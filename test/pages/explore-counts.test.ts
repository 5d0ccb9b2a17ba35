/** Counts by value add up as filters see the values, and never hold up a page. */
import { expect, test } from "bun:test"
import { Unavailable } from "../../src/db/pool/unavailable.ts"
import type { Group } from "../../src/db/reader/breakdown.ts"
import { noRelease, ReleaseUnavailable } from "../../src/db/reader/releases.ts"
import { tally } from "../../src/pages/explore/lists/counted-values.ts"
import { inTime } from "../../src/pages/explore/visit.ts"
import { awkward } from "../support/fixtures.ts"
import { testService } from "../support/service.ts"
import { barsOf, cellsOf, optionsOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const group = (value: Group["values"][number], records: number, other = "x"): Group => ({
  values: [other, value],
  records,
})

test("spellings that a filter takes as equal count together, under the most frequent", () => {
  const groups = [
    group("granted", 2),
    group("Granted", 3),
    group("GRANTED", 1, "y"),
    group("pending", 6),
  ]
  expect(tally(groups, 1)).toEqual([
    { value: "Granted", records: 6 },
    { value: "pending", records: 6 },
  ])
})

test("unknown values count, last among equals in no order but that of the alphabet", () => {
  expect(tally([group(null, 2), group("b", 1), group("a", 1)], 1)).toEqual([
    { value: null, records: 2 },
    { value: "a", records: 1 },
    { value: "b", records: 1 },
  ])
})

test("a field of several values counts for each, once", () => {
  const groups = [group("Drilling; Results", 2), group("drilling; Drilling", 1), group(";", 4)]
  expect(tally(groups, 1, true)).toEqual([
    { value: ";", records: 4 },
    { value: "Drilling", records: 3 },
    { value: "Results", records: 2 },
  ])
})

test("a count that takes too long or is not possible now is left out, any other failure is one of the page", async () => {
  expect(await inTime(() => new Promise<never>(() => {}), 10)).toBeNull()
  const failing = (error: Error) => inTime(async () => Promise.reject(error))
  expect(await failing(new Unavailable("The queue is full"))).toBeNull()
  expect(await failing(new ReleaseUnavailable(noRelease))).toBeNull()
  await expect(failing(new Error("A mistake"))).rejects.toThrow("A mistake")
})

test("where values are too many, the list is shown without their counts, and they are typed", async () => {
  const [first] = awkward.tenements
  if (!first) throw new Error("No tenements")
  const tenements = Array.from({ length: 5_001 }, (_, index) => ({
    ...first,
    id: `many-${index}`,
    status: `Status ${index}`,
  }))
  const service = await testService({ records: { ...awkward, tenements } })
  try {
    const person = await signedInVisitor(service, "admin@example.com")
    const page = await person.read("/explore/tenements?per_page=3")
    expect(cellsOf(page)).toHaveLength(3)
    expect(barsOf(page, "By status")).toEqual([])
    expect(page).toContain("Not counted: it would take too long, or there are too many values.")
    expect(optionsOf(page, "status")).toBeUndefined()
    expect(page).toContain('<input id="status" name="status" type="text"')
    const few = await person.read("/explore/tenements?status=status+7")
    expect(barsOf(few, "By status")).toMatchObject([{ label: "Status 7", records: 1 }])
  } finally {
    await service.stop()
  }
})

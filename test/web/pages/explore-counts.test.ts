/** Counts by value never hold up a page, and offer the values of filters. */
import { expect, test } from "bun:test"
import { Unavailable } from "../../../src/data/db/pool/unavailable.ts"
import { noRelease, ReleaseUnavailable } from "../../../src/data/reader/releases.ts"
import { inTime } from "../../../src/web/pages/explore/visit.ts"
import { awkward } from "../../support/fixtures.ts"
import { testService } from "../../support/service.ts"
import { barsOf, cellsOf, optionsOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

test("A count that takes too long is left out, and any other failure fails the page", async () => {
  expect(await inTime(() => new Promise<never>(() => {}), 10)).toBeNull()
  const failing = (error: Error) => inTime(async () => Promise.reject(error))
  expect(await failing(new Unavailable("The queue is full"))).toBeNull()
  expect(await failing(new ReleaseUnavailable(noRelease))).toBeNull()
  await expect(failing(new Error("A mistake"))).rejects.toThrow("A mistake")
})

test("A field with too many values offers them while a person types", async () => {
  const [first] = awkward.tenements
  if (!first) throw new Error("No tenements")
  const tenements = Array.from({ length: 1_101 }, (_, index) => ({
    ...first,
    id: `many-${index}`,
    status: `Status ${index % 1_100}`,
  }))
  await using service = await testService({ records: { ...awkward, tenements } })
  const person = await signedInVisitor(service, "admin@example.com")
  const page = await person.read("/explore/tenements?per_page=3")
  expect(cellsOf(page)).toHaveLength(3)
  expect(barsOf(page, "By status")?.[0]).toMatchObject({ label: "Status 0", records: 2 })
  expect(optionsOf(page, "status")).toBeUndefined()
  expect(page).toContain('<input id="status" name="status" type="text" list="status-values"')
  const [, offered = ""] = /<datalist id="status-values">(.*?)<\/datalist>/s.exec(page) ?? []
  expect(offered).toStartWith('<option value="Status 0">Status 0 (2)</option>')
  expect(offered.split("<option")).toHaveLength(1_001)
  const few = await person.read("/explore/tenements?search=nothing+like+it")
  expect(optionsOf(few, "status")).toEqual([""])
})

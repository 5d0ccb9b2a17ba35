/** A misspelled name suggests the intended name, and an unlike name suggests none. */
import { expect, test } from "bun:test"
import { isNearSpelling, mostSimilar, nearestName } from "../../../src/system/text/nearest-name.ts"

const known = ["page", "per_page", "search", "sector", "active", "sort", "order", "format"]

test.each([
  ["Page", "page"],
  ["pgae", undefined],
  ["pages", "page"],
  ["perpage", "per_page"],
  ["per-page", "per_page"],
  ["PER PAGE", "per_page"],
  ["serch", "search"],
  ["sectors", "sector"],
  ["activ", "active"],
  ["oder", "order"],
  ["fromat", "format"],
  ["limit", undefined],
  ["", undefined],
  ["q", undefined],
  ["searchsearchsearch", undefined],
])("%j suggests %j", (name, meant) => {
  expect(nearestName(name, known)).toBe(meant as string)
})

test.each([
  ["quarterly", "Third Quarter Activities Report"],
  ["quarterly cash flow", "Second Quarter Cash Flow Report"],
  ["PROGRESS", "Progress Report"],
  ["of the", undefined],
  ["nothing", undefined],
])("%j is most similar to %j", (text, similar) => {
  const types = [
    "Progress Report",
    "Third Quarter Activities Report",
    "Second Quarter Cash Flow Report",
  ]
  expect(mostSimilar(text, types)).toBe(similar as string)
})

test("The closer of two names is suggested, and none for a name that is far too long", () => {
  expect(nearestName("sorts", ["sector", "sort"])).toBe("sort")
  expect(nearestName(`page${"e".repeat(100_000)}`, known)).toBeUndefined()
  expect(nearestName("page", [])).toBeUndefined()
})

test("Only long words with the same first letter count as misspellings", () => {
  for (const word of ["retentiona", "retentin", "retantion"]) {
    expect(isNearSpelling(word, "retention")).toBe(true)
  }
  expect(isNearSpelling("exploitation", "exploration")).toBe(false)
  expect(isNearSpelling("detention", "retention")).toBe(false)
  expect(isNearSpelling("elapsed", "lapsed")).toBe(false)
  expect(isNearSpelling("lapse", "lapsed")).toBe(false)
})

/** How values are written for people. */
import { expect, test } from "bun:test"

import { exactNumber, rounded } from "../../../src/web/pages/explore/lists/cells.ts"
import { dataSize, dollars, relative } from "../../../src/web/pages/kit/format.ts"
import { layout } from "../../../src/web/pages/kit/layout.ts"

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000] as const

test.each([
  [7 * day, "in 7 days"],
  [7 * day - second, "in 7 days"],
  [7 * day - 2 * hour, "in 7 days"],
  [day, "in 1 day"],
  [day - second, "in 1 day"],
  [day - 2 * hour, "in 22 hours"],
  [hour - second, "in 1 hour"],
  [90 * second, "in 2 minutes"],
  [minute, "in 1 minute"],
  [second, "in a moment"],
  [0, "just now"],
  [-second, "just now"],
  [-(2 * day - second), "1 day ago"],
  [-(hour - second), "59 minutes ago"],
])("%d ms from now is %p", (ms, text) => {
  expect(relative(ms, 0)).toBe(text)
})

test("A title has no characters that change the direction of text", () => {
  const frame = { email: null, release: null, dataAt: null, nowMs: 0 }
  const page = layout({ title: "a\u202eb\u2066c\u200fd", main: null }, frame).text
  expect(page).toContain("<title>abcd · ")
})

test.each([
  [1e-7, "<0.001", "0.0000001"],
  [0.00049, "<0.001", "0.00049"],
  [0.0005, "0.001", "0.0005"],
  [0, "0.000", "0.00"],
  [12.5, "12.500", "12.50"],
  [1_234_567.891234, "1,234,567.891", "1,234,567.891234"],
])("An area of %d is %s in a list, and %s on its record", (area, inList, onRecord) => {
  expect([rounded("area")({ area }), exactNumber("area")({ area })]).toEqual([inList, onRecord])
})

test.each([
  [334_300_000_000, "334.3 bn", "A$334,300,000,000"],
  [1_250_000_000_000, "1.3 tn", "A$1,250,000,000,000"],
  [999_960_000, "1 bn", "A$999,960,000"],
  [4_815_000, "4.8 m", "A$4,815,000"],
  [0, "0", "A$0"],
])("A sum of %d dollars is short, with all of it on hover", (value, short, whole) => {
  expect(dollars(value).text).toBe(`<span title="${whole}">${short}</span>`)
})

test.each([
  [1, "1 kB"],
  [738_000, "738 kB"],
  [999_600, "1 MB"],
  [11_200_000, "11.2 MB"],
])("A file of %d bytes has a short size", (bytes, size) => {
  expect(dataSize(bytes)).toBe(size)
})

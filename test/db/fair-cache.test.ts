/** A cache stays within its budget by evicting the oldest entries of the owner that has most. */
import { expect, test } from "bun:test"
import { entryBytes } from "../../src/db/cache.ts"
import { createFairCache } from "../../src/db/fair-cache.ts"

const cacheOf = (entries: number) =>
  createFairCache<number>({ maxBytes: entries * (entryBytes + 10), bytesOf: () => 10 })

test("beyond the budget the owner that has most loses what it set longest ago", () => {
  const cache = cacheOf(4)
  cache.set(1, "a", 1)
  for (const key of ["a", "b", "c", "a"]) cache.set(2, key, 1)
  cache.set(3, "a", 1)
  expect(["a", "b", "c"].filter((key) => cache.get(2, key))).toEqual(["a", "c"])
  expect([cache.get(1, "a"), cache.get(3, "a")]).toEqual([1, 1])
  expect([...cache.values()]).toEqual([1, 1, 1, 1])
})

test("an entry set again takes its room once, and one beyond the whole budget is not kept", () => {
  const cache = cacheOf(2)
  for (let round = 0; round < 10; round++) cache.set(1, "a", round)
  cache.set(2, "a", 10)
  expect([cache.get(1, "a"), cache.get(2, "a")]).toEqual([9, 10])
  const none = cacheOf(0)
  none.set(1, "a", 1)
  expect(none.get(1, "a")).toBeUndefined()
})

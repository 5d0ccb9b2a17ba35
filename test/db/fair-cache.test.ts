/** A cache stays within its budget by evicting the oldest entries of the owner that has most. */
import { expect, test } from "bun:test"
import { entryBytes } from "../../src/db/cache.ts"
import { createFairCache } from "../../src/db/fair-cache.ts"

const cacheOf = (entries: number) =>
  createFairCache<number>({
    maxBytes: entries * (entryBytes + 10),
    bytesOf: () => 10,
    ownerOf: (key) => key[0] ?? "",
  })

test("beyond the budget the owner that has most loses what it set longest ago", () => {
  const cache = cacheOf(4)
  for (const key of ["a1", "b1", "b2", "b3", "b1"]) cache.set(key, 1)
  cache.set("c1", 1)
  expect(["a1", "b1", "b2", "b3", "c1"].filter((key) => cache.get(key))).toEqual([
    "a1",
    "b1",
    "b3",
    "c1",
  ])
  expect([...cache.values()]).toEqual([1, 1, 1, 1])
})

test("an entry set again takes its room once, and one beyond the whole budget is not kept", () => {
  const cache = cacheOf(2)
  for (let round = 0; round < 10; round++) cache.set("a1", round)
  cache.set("b1", 1)
  expect([cache.get("a1"), cache.get("b1")]).toEqual([9, 1])
  const none = cacheOf(0)
  none.set("a1", 1)
  expect(none.get("a1")).toBeUndefined()
})

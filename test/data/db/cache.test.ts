/** Caches stay within their memory budget. */
import { heapStats } from "bun:jsc"
import { expect, test } from "bun:test"
import { cacheSizes, createCache } from "../../../src/data/db/cache.ts"
import { digest } from "../../../src/system/text/digest.ts"

test("The budgets of all caches add up to the memory that the settings allow", () => {
  const sizes = Object.values(cacheSizes(64 * 1024 * 1024))
  const sum = sizes.reduce((total, size) => total + size, 0)
  expect(sum - 64 * 1024 * 1024).toBeWithin(0, sizes.length + 1)
})

test("A cache stays within its memory budget, however many entries are added", () => {
  const maxBytes = 4 * 1024 * 1024
  const cache = createCache<number>(maxBytes, () => 16)
  Bun.gc(true)
  const before = heapStats().heapSize
  for (let index = 0; index < 200_000; index++) cache.set(digest(String(index)), index)
  Bun.gc(true)
  // All of them would take ten times as much.
  expect(heapStats().heapSize - before).toBeLessThan(maxBytes)
  expect(cache.calculatedSize).toBeLessThanOrEqual(maxBytes)
})

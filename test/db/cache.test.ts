/** Caches stay within their memory budget and evict the least recently used entries. */
import { heapStats } from "bun:jsc"
import { expect, test } from "bun:test"
import { cacheSizes, createCache } from "../../src/db/cache.ts"
import { digest } from "../../src/text/digest.ts"

test("the budgets of all caches add up to the memory that the settings allow", () => {
  const sizes = Object.values(cacheSizes(64 * 1024 * 1024))
  const sum = sizes.reduce((total, size) => total + size, 0)
  expect(sum - 64 * 1024 * 1024).toBeWithin(0, sizes.length + 1)
})

test("a full cache evicts the least recently used entry", () => {
  const cache = createCache<string>(10_000, (text) => text.length)
  cache.set("first", "x".repeat(4_000))
  cache.set("second", "x".repeat(4_000))
  cache.get("first")
  cache.set("third", "x".repeat(4_000))
  expect(["first", "second", "third"].filter((key) => cache.has(key))).toEqual(["first", "third"])
})

test("a value larger than the cache is not stored, and evicts nothing", () => {
  const cache = createCache<string>(10_000, (text) => text.length)
  cache.set("small", "x")
  cache.set("large", "x".repeat(20_000))
  expect([cache.has("small"), cache.has("large")]).toEqual([true, false])
})

test("falsy values are stored like any other", () => {
  const cache = createCache<number>(10_000, () => 8)
  cache.set("zero", 0)
  expect([cache.get("zero"), cache.get("none")]).toEqual([0, undefined])
})

test("a cache stays within its memory budget, however many entries are added", () => {
  const maxBytes = 8 * 1024 * 1024
  const cache = createCache<number>(maxBytes, () => 16)
  Bun.gc(true)
  const before = heapStats().heapSize
  for (let index = 0; index < 400_000; index++) cache.set(digest(String(index)), index)
  Bun.gc(true)
  // All of them would take ten times as much.
  expect(heapStats().heapSize - before).toBeLessThan(maxBytes)
  expect(cache.calculatedSize).toBeLessThanOrEqual(maxBytes)
})

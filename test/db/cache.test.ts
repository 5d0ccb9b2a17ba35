import { heapStats } from "bun:jsc"
import { expect, test } from "bun:test"
import { cacheSizes, createCache } from "../../src/db/cache.ts"
import { digest } from "../../src/text/digest.ts"

test("the sizes of all caches add up to what is given to them", () => {
  const sizes = Object.values(cacheSizes(64 * 1024 * 1024))
  const sum = sizes.reduce((total, size) => total + size, 0)
  expect(sum - 64 * 1024 * 1024).toBeWithin(0, sizes.length + 1)
})

test("a full cache forgets what was used longest ago", () => {
  const cache = createCache<string>(10_000, (text) => text.length)
  cache.set("first", "x".repeat(4_000))
  cache.set("second", "x".repeat(4_000))
  cache.get("first")
  cache.set("third", "x".repeat(4_000))
  expect(["first", "second", "third"].filter((key) => cache.has(key))).toEqual(["first", "third"])
})

test("a value larger than the cache is not kept, and drives nothing out", () => {
  const cache = createCache<string>(10_000, (text) => text.length)
  cache.set("small", "x")
  cache.set("large", "x".repeat(20_000))
  expect([cache.has("small"), cache.has("large")]).toEqual([true, false])
})

test("values that are falsy are kept like any other", () => {
  const cache = createCache<number>(10_000, () => 8)
  cache.set("zero", 0)
  expect([cache.get("zero"), cache.get("none")]).toEqual([0, undefined])
})

test("however many entries are made, a cache takes the memory that it was given", () => {
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

import { expect, test } from "bun:test"
import { LruMap } from "../../src/db/lru-map.ts"

test("forgets what was used longest ago, once it is full", () => {
  const map = new LruMap<number>(2)
  map.set("a", 1)
  map.set("b", 2)
  expect(map.get("a")).toBe(1)
  map.set("c", 3)
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([1, undefined, 3])
})

test("setting a key again replaces its value and counts as use", () => {
  const map = new LruMap<number>(2)
  map.set("a", 1)
  map.set("b", 2)
  map.set("a", 3)
  map.set("c", 4)
  expect([map.get("a"), map.get("b"), map.get("c")]).toEqual([3, undefined, 4])
})

test("values that are falsy are kept like any other", () => {
  const map = new LruMap<number>(3)
  map.set("zero", 0)
  expect(map.get("zero")).toBe(0)
  expect(map.get("none")).toBeUndefined()
})

/** The sides of a comparison take turns, so that none is always measured first. */
import { expect, test } from "bun:test"
import { rounds } from "./rounds.ts"

/** Sides that record the order in which they run. */
function recorded() {
  const order: string[] = []
  const side = (name: string) => async () => order.push(name)
  return { order, sides: { a: side("a"), b: side("b"), c: side("c") } }
}

test("sides take turns, and each round begins with another", async () => {
  const { order, sides } = recorded()
  const samples = await rounds(3, sides, { warmUp: false })
  expect(order.join("")).toBe("bcacababc")
  expect(samples).toEqual({ a: [3, 5, 7], b: [1, 6, 8], c: [2, 4, 9] })
})

test("a round to warm up does not count", async () => {
  const { order, sides } = recorded()
  const samples = await rounds(1, sides, { warmUp: true })
  expect(order.join("")).toBe("abcbca")
  expect(samples).toEqual({ a: [6], b: [4], c: [5] })
})

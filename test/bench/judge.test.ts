/** A target holds only where the figure that was measured reaches it. */
import { expect, test } from "bun:test"
import { judge } from "./judge.ts"
import type { Figure, Row, Target } from "./row.ts"

const rate = (...samples: number[]): Figure => ({ unit: "requests/s", samples })
const ms = (...samples: number[]): Figure => ({ unit: "ms", samples })

const rowOf = (...targets: Target[]): Row => ({
  name: "page",
  work: "a page",
  needs: [],
  targets,
  run: async () => ({ figures: {} }),
})

test("a ratio holds from its limit on", () => {
  const row = rowOf({ figure: "ours", over: "bare", atLeast: 0.5 })
  const holds = (ours: number) =>
    judge(row, { figures: { ours: rate(ours), bare: rate(100) } })[0]?.holds
  expect([holds(49), holds(50), holds(51)]).toEqual([false, true, true])
})

test("a duration beside another holds up to its limit", () => {
  const row = rowOf({ figure: "ours", over: "copy", atMost: 1.5 })
  const [line] = judge(row, { figures: { ours: ms(30, 32, 31), copy: ms(20, 20, 20) } })
  expect(line).toEqual({
    name: "page",
    work: "a page",
    ours: ms(30, 32, 31),
    beside: { name: "copy", figure: ms(20, 20, 20) },
    ratio: 1.55,
    target: "≤ 1.5 × copy",
    holds: false,
  })
})

test("a figure without another side is judged by its median", () => {
  const row = rowOf({ figure: "p95", atMost: 25 })
  const [line] = judge(row, { figures: { p95: ms(90, 24, 20) } })
  expect(line).toMatchObject({ work: "a page: p95", ratio: null, target: "≤ 25 ms", holds: true })
})

test("a figure or side that was not measured is not judged", () => {
  const row = rowOf(
    { figure: "slope", atMost: 1 },
    { figure: "ours", over: "pgbench", atLeast: 0.8 },
  )
  const lines = judge(row, { figures: { ours: rate(10) } })
  expect(lines.map(({ ours, beside, holds }) => [ours, beside, holds])).toEqual([
    [null, null, null],
    [rate(10), null, null],
  ])
})

test("a line without a limit is for information", () => {
  const row = rowOf({ figure: "ours", over: "pgbench" })
  const [line] = judge(row, { figures: { ours: rate(10), pgbench: rate(20) } })
  expect(line).toMatchObject({ ratio: 0.5, target: "", holds: null })
})

/** Every row of the benchmark names its programs, and the guide explains each row. */
import { expect, test } from "bun:test"
import { rows } from "./catalogue.ts"
import { programs } from "./row.ts"

test("every row has a name of its own, and the guide explains it", async () => {
  const guide = await Bun.file(new URL("../../src/guide/benchmarks.md", import.meta.url)).text()
  const names = rows.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
})

test("a target has one limit at most, and a row needs programs that the runner knows", () => {
  for (const { targets, needs } of rows) {
    expect(targets.length).toBeGreaterThan(0)
    for (const { atLeast, atMost } of targets) expect([atLeast, atMost]).toContain(undefined)
    expect(needs.filter((program) => !programs.includes(program))).toEqual([])
  }
})

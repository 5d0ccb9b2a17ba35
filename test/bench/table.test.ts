/** The printed table is aligned, and its numbers are short enough to read. */
import { expect, test } from "bun:test"
import { figureText, numberText, table } from "./table.ts"

test("numbers have three digits, and large ones no fraction", () => {
  expect([0.0456, 1.234, 12.345, 123.4, 68_135.2].map(numberText)).toEqual([
    "0.046",
    "1.23",
    "12.3",
    "123",
    "68,135",
  ])
})

test("a figure shows its median and its spread", () => {
  expect(figureText({ unit: "ms", samples: [3, 1, 2] })).toBe("2 ms (1 to 3)")
  expect(figureText({ unit: "", samples: [100] })).toBe("100")
})

test("the table is Markdown with columns of equal width", () => {
  const lines = [
    {
      name: "export",
      work: "CSV",
      ours: { unit: "s" as const, samples: [3] },
      beside: { name: "copy", figure: { unit: "s" as const, samples: [2] } },
      ratio: 1.5,
      target: "≤ 1.5 × copy",
      holds: true,
    },
    {
      name: "memory",
      work: "slope",
      ours: null,
      beside: null,
      ratio: null,
      target: "≤ 1",
      holds: null,
    },
  ]
  expect(table(lines)).toBe(
    [
      "| work  | ours         | beside it | ratio | target       | holds? |",
      "|-------|--------------|-----------|-------|--------------|--------|",
      "| CSV   | 3 s          | copy 2 s  | 1.5   | ≤ 1.5 × copy | yes    |",
      "| slope | not measured |           |       | ≤ 1          |        |",
    ].join("\n"),
  )
})

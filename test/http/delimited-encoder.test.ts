/** The rows of exports are, byte by byte, those that pages have. */
import { expect, test } from "bun:test"
import { type Column, delimitedWriter } from "../../src/http/delimited.ts"
import { type DelimitedEncoder, delimitedEncoders } from "../../src/http/delimited-encoder.ts"

const columns: Column[] = [
  { name: "free", type: "string", freeText: true },
  { name: "plain", type: "string", freeText: false },
  { name: "number", type: "number", freeText: false },
  { name: "boolean", type: "boolean", freeText: false },
]

const options = (["csv", "tsv"] as const).flatMap((format) =>
  [true, false].map((formulaGuard) => ({ format, formulaGuard })),
)

const texts = [
  "",
  '"',
  ",",
  "\r",
  "\n",
  "\t",
  "=",
  "+",
  "-",
  "@",
  "'",
  " ",
  "a",
  "é",
  "😀",
  "\u001f",
]

/** PostgreSQL's text of a double; the exact digits are JavaScript's too. */
const numbers: [text: string, value: number][] = [
  ["0", 0],
  ["-0", -0],
  ["-12.5", -12.5],
  ["0.1", 0.1],
  ["33.33", 33.33],
  ["0.30000000000000004", 0.1 + 0.2],
  ["0.0001", 0.0001],
  ["1e-05", 0.00001],
  ["1.5e-06", 0.0000015],
  ["1e-07", 1e-7],
  ["5e-324", 5e-324],
  ["999999999999999", 999999999999999],
  ["123456789012.345", 123456789012.345],
  ["1e+15", 1e15],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["1e+20", 1e20],
  ["1e+21", 1e21],
  ["9.999999999999999e+22", 1e23],
  ["1.7976931348623157e+308", Number.MAX_VALUE],
]

interface Row {
  free: string | null
  plain: string | null
  number: [text: string, value: number] | null
  boolean: boolean | null
}

const anyOf = <T>(values: readonly T[], at: number): T => values[at % values.length] as T

/** Every text of up to three of the pieces above, each with other values beside it. */
const rows: Row[] = texts
  .flatMap((a) => texts.flatMap((b) => texts.map((c) => a + b + c)))
  .map((text, index) => ({
    free: text,
    plain: index % 3 === 0 ? null : text,
    number: index % 5 === 0 ? null : anyOf(numbers, index),
    boolean: anyOf([true, false, null], index),
  }))

const written = (format: "csv" | "tsv", formulaGuard: boolean, of: readonly Row[]): string => {
  const { row } = delimitedWriter(format, columns, { formulaGuard })
  return of.map((record) => row({ ...record, number: record.number?.[1] ?? null })).join("")
}

function encoded(format: "csv" | "tsv", formulaGuard: boolean, of: readonly Row[]): string {
  const newEncoder = delimitedEncoders(format, columns, { formulaGuard })
  // The second one begins with the memory that the first one needed.
  const first = encodedBy(newEncoder(), of)
  expect(encodedBy(newEncoder(), of)).toBe(first)
  return first
}

function encodedBy(encoder: DelimitedEncoder, of: readonly Row[]): string {
  for (const { free, plain, number, boolean } of of) {
    const sent = [free, plain, number?.[0] ?? null, boolean === null ? null : boolean ? "t" : "f"]
    for (const text of sent) {
      // Among other bytes, as in what the database sends.
      const bytes = new TextEncoder().encode(`=${text}"`)
      if (text === null) encoder.emptyCell()
      else encoder.cell(bytes, 1, bytes.length - 1)
    }
    encoder.endRow()
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(encoder.bytes())
}

test.each(options)("rows of bytes are those of records (%j)", ({ format, formulaGuard }) => {
  expect(encoded(format, formulaGuard, rows)).toBe(written(format, formulaGuard, rows))
})

test.each(options)("cells of any size fit (%j)", ({ format, formulaGuard }) => {
  const large = [1, 65_000, 65_536, 300_000].flatMap((size) =>
    ["a", '"', "\t", "é"].map((text) => ({
      free: `=${text.repeat(size)}`,
      plain: text.repeat(size),
      number: anyOf(numbers, size),
      boolean: true,
    })),
  )
  expect(encoded(format, formulaGuard, large)).toBe(written(format, formulaGuard, large))
})

test("every number is written as JSON has it", () => {
  const row = (number: Row["number"]): Row[] => [{ free: "", plain: "", number, boolean: null }]
  for (const number of numbers) {
    expect(encoded("csv", true, row(number))).toBe(`,,${JSON.stringify(number[1])},\r\n`)
  }
})

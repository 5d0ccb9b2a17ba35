/**
 * A CSV row is as in RFC 4180, a TSV row has one line, and no text is run as a formula by a
 * spreadsheet.
 */
import { expect, test } from "bun:test"
import { type DelimitedColumn, delimitedWriter } from "../../../src/api/http/delimited.ts"

const columns: DelimitedColumn[] = [
  { name: "text", type: "text" },
  { name: "date", type: "date" },
  { name: "number", type: "number" },
  { name: "boolean", type: "boolean" },
]

const cell = (format: "csv" | "tsv", text: unknown, formulaGuard = true) =>
  delimitedWriter(format, columns, { formulaGuard })
    .rows([{ text, date: "D", number: 1 }])
    .split(format === "csv" ? ",D" : "\tD")[0]

test.each([
  ["plain", "plain"],
  ["", ""],
  [null, ""],
  [undefined, ""],
  ["\uFEFFa", "\uFEFFa"],
  ["a,b", '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ["a\nb", '"a\nb"'],
  ["a\rb", '"a\rb"'],
  ["a\r\nb", '"a\r\nb"'],
  ["a\tb", "a\tb"],
  [" padded ", " padded "],
  ["é😀", "é😀"],
  ["'quoted'", "'quoted'"],
])("CSV writes %j as %j", (value, written) => {
  expect(cell("csv", value)).toBe(written)
})

test.each([
  ["=1+1", "'=1+1", "=1+1"],
  ["+1", "'+1", "+1"],
  ["-1", "'-1", "-1"],
  ["@a", "'@a", "@a"],
  ["\ta", "'\ta", "\ta"],
  ["\ra", `"'\ra"`, '"\ra"'],
  ["-a,b", `"'-a,b"`, '"-a,b"'],
  ["a=1", "a=1", "a=1"],
  [" =1", " =1", " =1"],
  ["'=1", "'=1", "'=1"],
])("With the formula guard %j is %j, without it %j", (value, guarded, bare) => {
  expect(cell("csv", value, true)).toBe(guarded)
  expect(cell("csv", value, false)).toBe(bare)
})

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

type RowEncoder = ReturnType<ReturnType<typeof delimitedWriter>["newEncoder"]>

/** One row, of the text of each cell as the database sends it: among other bytes. */
function encodedRow(encoder: RowEncoder, texts: readonly (string | null)[]): void {
  for (const text of texts) {
    const bytes = new TextEncoder().encode(`=${text}"`)
    if (text === null) encoder.emptyCell()
    else encoder.cell(bytes, 1, bytes.length - 1)
  }
  encoder.endRow()
}

test("A number is written as JSON has it, whether as a value or as the database sends it", () => {
  const { newEncoder, rows } = delimitedWriter("csv", columns, { formulaGuard: true })
  for (const [text, value] of numbers) {
    const encoder = newEncoder()
    encodedRow(encoder, ["", null, text, "t"])
    expect(new TextDecoder().decode(encoder.content())).toBe(`,,${JSON.stringify(value)},true\r\n`)
    expect(rows([{ number: value, boolean: true }])).toBe(`,,${JSON.stringify(value)},true\r\n`)
  }
})

test.each(["csv", "tsv"] as const)("%s: cells of any size fit, chunk after chunk", (format) => {
  const { newEncoder, rows } = delimitedWriter(format, columns, { formulaGuard: true })
  const large = [1, 65_000, 65_536, 140_000].flatMap((size) =>
    ["a", '"', "\t", "é", ",\n"].map((text) => [`=${text.repeat(size)}`, text.repeat(size)]),
  )
  const cellOf = (text: string) =>
    format === "tsv"
      ? text.replace(/[\t\r\n]+/g, " ")
      : /[",\r\n]/.test(text)
        ? `"${text.replaceAll('"', '""')}"`
        : text
  const separator = format === "csv" ? "," : "\t"
  const expected = large
    .map(([text = "", date = ""]) => [cellOf(`'${text}`), cellOf(date), "1", "false"])
    .map((cells) => `${cells.join(separator)}\r\n`)
    .join("")
  // The second one begins with the memory that the first one needed.
  for (const encoder of [newEncoder(), newEncoder()]) {
    for (const texts of large) encodedRow(encoder, [...texts, "1", "f"])
    expect(new TextDecoder().decode(encoder.content()) === expected).toBe(true)
  }
  const records = large.map(([text, date]) => ({ text, date, number: 1, boolean: false }))
  expect(rows(records) === expected).toBe(true)
})

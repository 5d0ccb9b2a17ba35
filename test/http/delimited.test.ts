/**
 * A CSV row is as in RFC 4180, a TSV row has one line, and no text is run as a formula by a
 * spreadsheet.
 */
import { expect, test } from "bun:test"
import { delimitedType, delimitedWriter } from "../../src/http/delimited.ts"

const columns = [
  { name: "text", type: "string", freeText: true },
  { name: "date", type: "string", freeText: false },
  { name: "number", type: "number", freeText: false },
] as const

const cell = (format: "csv" | "tsv", text: unknown, formulaGuard = true) =>
  delimitedWriter(format, columns, { formulaGuard })
    .row({ text, date: "D", number: 1 })
    .split(format === "csv" ? ",D" : "\tD")[0]

test("the media types tell that there is a header row", () => {
  expect(delimitedType("csv")).toBe("text/csv; charset=utf-8; header=present")
  expect(delimitedType("tsv")).toBe("text/tab-separated-values; charset=utf-8; header=present")
})

test("rows hold the columns' fields in their order and end in CRLF", () => {
  const { header, row } = delimitedWriter("csv", columns, { formulaGuard: true })
  expect(header).toBe("text,date,number\r\n")
  expect(row({ number: 2.5, other: "x", date: "2026-01-01", text: "a" })).toBe(
    "a,2026-01-01,2.5\r\n",
  )
  expect(row({})).toBe(",,\r\n")
})

test.each([
  ["plain", "plain"],
  ["", ""],
  [null, ""],
  [undefined, ""],
  [false, "false"],
  [-1, "-1"],
  [9007199254740991, "9007199254740991"],
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
  ["a,b", "a,b"],
  ['say "so"', 'say "so"'],
  ["a\tb", "a b"],
  ["a\r\n\t\nb", "a b"],
  ["a\nb\nc", "a b c"],
  ["a  b", "a  b"],
])("TSV writes %j as %j", (value, written) => {
  expect(cell("tsv", value)).toBe(written)
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
])("with the formula guard %j is %j, without it %j", (value, guarded, bare) => {
  expect(cell("csv", value, true)).toBe(guarded)
  expect(cell("csv", value, false)).toBe(bare)
})

test.each([
  ["\tTab First", "' Tab First"],
  ["\r\nline", "' line"],
  ["=1\t+1", "'=1 +1"],
])("TSV guards %j by what it begins with: %j", (value, written) => {
  expect(cell("tsv", value)).toBe(written)
})

test("numbers and dates are never guarded", () => {
  const { row } = delimitedWriter("csv", columns, { formulaGuard: true })
  expect(row({ text: -1, date: "-5", number: -2 })).toBe("-1,-5,-2\r\n")
})

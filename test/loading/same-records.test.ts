/** However a table is written, its records are those of the plain file. */
import { afterAll, expect, test } from "bun:test"
import { gzipSync } from "node:zlib"
import { vic } from "../../src/sources/vic.ts"
import { seededIntegers } from "../support/seeded.ts"
import { zipFile } from "./packed-files.ts"
import { rowsOf, scratch } from "./readings.ts"

const { file, close } = scratch()
afterAll(close)

const header = ["tno", "typedesc", "statussdsc", "own_name", "grant1_dt", "expl_dt", "hectares"]

type Table = readonly (readonly string[])[]

/** Without adjacent letters with accents, which in Windows-1252 could be UTF-8. */
const pieces = [
  "A",
  "x",
  " ",
  "é.",
  "’.",
  "-",
  "1,5 m",
  "0 x",
  ";",
  ",",
  '"',
  "\n",
  "'=",
  "_x",
  "&<",
]

function randomTable(next: (below: number) => number, isPlain: boolean): Table {
  const allowed = isPlain ? pieces.filter((piece) => !/["\n]/.test(piece)) : pieces
  const cell = () =>
    Array.from({ length: next(6) }, () => allowed[next(allowed.length)] ?? "").join("")
  const row = (_: unknown, nth: number) => [`EL${nth}`, ...header.slice(1).map(cell)]
  return [header, ...Array.from({ length: 1 + next(12) }, row)]
}

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

function delimited(table: Table, separator: string, lineBreak: string, titles: string[] = []) {
  const cellOf = (cell: string) =>
    separator !== "\t" && /[",;\n]/.test(cell) ? quoted(cell) : cell
  const lines = table.map((row) => row.map(cellOf).join(separator))
  return [...titles, ...lines, ""].join(lineBreak)
}

const latin1 = (text: string) =>
  Buffer.from([...text].map((letter) => (letter === "’" ? 0x92 : (letter.codePointAt(0) ?? 0))))

const encodings: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16LE with a mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16BE with a mark": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "Windows-1252": latin1,
}

async function recordsOf(bytes: Uint8Array): Promise<unknown[]> {
  const rows = await rowsOf(vic, file("given", bytes))
  return rows.map(({ raw, error }) => error ?? raw)
}

const rounds = 40

test.each(Object.entries(encodings))("in %s, with each separator", async (_, encode) => {
  const next = seededIntegers(5)
  for (let round = 0; round < rounds; round++) {
    const separator = [",", ";", "\t"][round % 3] ?? ","
    const table = randomTable(next, separator === "\t")
    const plain = await recordsOf(Buffer.from(delimited(table, ",", "\n")))
    expect(plain).toHaveLength(table.length - 1)
    const blank = next(3)
    const wide = table.map((row) => [...row, ...Array.from({ length: blank }, () => "")])
    const titles = ["Tenements of Victoria", "As at July, with gaps; and so on"].slice(0, next(3))
    const content = delimited(wide, separator, ["\n", "\r\n"][next(2)] ?? "\n", titles)
    expect(await recordsOf(encode(content))).toEqual(plain)
  }
})

test("compressed", async () => {
  const next = seededIntegers(6)
  for (let round = 0; round < rounds; round++) {
    const table = randomTable(next, false)
    const csv = delimited(table, ",", "\n")
    const plain = await recordsOf(Buffer.from(csv))
    expect(await recordsOf(gzipSync(csv))).toEqual(plain)
    expect(await recordsOf(zipFile({ "a.csv": csv }))).toEqual(plain)
  }
})

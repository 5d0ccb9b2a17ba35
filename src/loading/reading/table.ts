/**
 * Reads tables: CSV (RFC 4180), also with semicolons, and TSV. TSV has no quotes: a tab or a line
 * break cannot be part of a value, as the service itself writes it. Header and rows are read in one
 * pass of constant memory.
 */
import type { RawRecord } from "../../sources/source.ts"
import { csvRecords } from "./csv-records.ts"
import { type Header, readHeader, withoutBlankEnd } from "./header.ts"
import type { Layout, RejectFile, Row, TableRecord } from "./row.ts"
import type { Separator } from "./separators.ts"

export async function* readTable(
  text: AsyncIterable<string>,
  separator: Separator,
  layout: Layout,
  rejectFile: RejectFile,
  note: (what: string) => void,
): AsyncGenerator<Row> {
  let lastCharacter = ""
  async function* trackLastCharacter() {
    for await (const chunk of text) {
      lastCharacter = chunk.at(-1) ?? lastCharacter
      yield chunk
    }
  }
  const parsed = csvRecords(trackLastCharacter(), separator, rejectFile)
  const records = separator === ";" ? withAmbiguousNumbers(parsed) : parsed
  const header = await readHeader(records, layout, rejectFile, note)
  const rowOf = rowReaderBelow(header, layout)
  let last: TableRecord | undefined
  // Not `for await`: the header has already been read from the same iterator.
  for (let next = await records.next(); !next.done; next = await records.next()) {
    last = next.value
    yield rowOf(last)
  }
  if (!last) rejectFile("it has a header but no rows")
  if (last?.cells && last.cells.length < header.named && lastCharacter !== "\n") {
    rejectFile(`it is truncated: line ${last.line}, the last, has fewer columns than the header`)
  }
}

const ambiguousNumber = /^\W{0,3}\d{1,3},\d{3}(?:\s*[a-z]{1,3}\.?)?$/i

/** Where a comma does not separate values, it may be decimal; one before three digits may not. */
async function* withAmbiguousNumbers(
  records: AsyncGenerator<TableRecord>,
): AsyncGenerator<TableRecord> {
  for await (const record of records) {
    const faults = record.cells?.flatMap((cell, index): [number, string][] => {
      const text = cell.trim()
      if (!ambiguousNumber.test(text)) return []
      const why = `in a file separated by semicolons, the comma of "${text}" may be decimal`
      return [[index, `is ambiguous: ${why}`]]
    })
    yield record.cells && faults && faults.length > 0
      ? { ...record, faults: new Map(faults) }
      : record
  }
}

/** Reads the records that follow a header as rows. */
export function rowReaderBelow(
  { names, named }: Header,
  { columns }: Layout,
): (record: TableRecord) => Row {
  // What has a name is ignored by its name; what has none could be anything.
  const mayHold = columns.others === "refuse" ? named : names.length
  return (record) => {
    const { line, cells, error, text, faults } = record
    if (!cells) return { line, raw: text, error }
    const raw: Record<string, string> = {}
    for (let index = 0; index < named; index++) {
      const name = names[index]
      const cell = cells[index]
      if (name && cell !== undefined) raw[name] = cell
    }
    const length =
      cells.length > mayHold ? Math.max(named, withoutBlankEnd(cells).length) : cells.length
    if (length < named || length > mayHold) {
      const wrong = `has ${length} columns where the header has ${named}`
      return { line, raw: cells, error: wrong, readable: raw }
    }
    const fault = faults && [...faults].find(([index]) => names[index])
    if (fault) return { line, raw: cells, error: `${names[fault[0]]} ${fault[1]}`, readable: raw }
    return { line, raw: raw as RawRecord }
  }
}

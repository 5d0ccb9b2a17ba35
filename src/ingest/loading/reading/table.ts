/**
 * Reads tables: CSV, also with semicolons, and TSV. TSV has no quotes: a tab or a line break cannot be
 * part of a value, as the service itself writes it. Header and rows are read in one pass of constant
 * memory.
 */

import { type Columns, layoutOf } from "../../sources/columns.ts"
import type { RawRecord } from "../../sources/source.ts"
import { damaged } from "../load-error.ts"
import { csvRecords, type Separator, type TableRecord } from "./csv-records.ts"
import { type Header, readHeader, withoutBlankEnd } from "./header.ts"
import type { FileReading, Row } from "./row.ts"

export async function* readTable(
  text: AsyncIterable<string>,
  separator: Separator,
  reading: FileReading,
): AsyncGenerator<Row> {
  const { refuse, source } = reading
  const records = csvRecords(text, separator, refuse)
  const header = await readHeader(records, reading)
  const rowOf = rowReaderBelow(header, source.columns, separator)
  let last: TableRecord | undefined
  // Not `for await`: the header has already been read from the same iterator.
  for (let next = await records.next(); !next.done; next = await records.next()) {
    last = next.value
    yield rowOf(last)
  }
  if (!last) return refuse("it has a header but no rows")
  if (last.error === null && last.cells.length < header.named && !last.text.endsWith("\n")) {
    refuse(
      damaged(`it is truncated: line ${last.line}, the last, has fewer columns than the header`),
    )
  }
}

function rowReaderBelow(
  { names, named }: Header,
  columns: Columns,
  separator: Separator,
): (record: TableRecord) => Row {
  // A source may ignore a column by its name; cells beyond the last name could be anything.
  const mayBeUnnamed = columns.others !== "refuse"
  return ({ line, cells, error, text }) => {
    if (error !== null) return { line, raw: text, error }
    const raw: Record<string, string> = {}
    for (let index = 0; index < named; index++) {
      const name = names[index]
      const cell = cells[index]
      if (name && cell !== undefined) raw[name] = cell
    }
    // A surplus cell may be the end of a row whose values an unquoted separator has shifted.
    const hasAll = cells.length >= named && cells.length <= names.length
    if (!hasAll || (!mayBeUnnamed && withoutBlankEnd(cells).length > named)) {
      const wrong = `has ${cells.length} columns where the header has ${named}`
      return { line, raw: cells, error: wrong, readable: raw }
    }
    const ambiguous = separator === ";" ? ambiguousNumberIn(raw) : undefined
    if (ambiguous !== undefined) return { line, raw: cells, error: ambiguous, readable: raw }
    return { line, raw }
  }
}

/** A comma that does not separate values may be decimal, or separate thousands. */
const ambiguousNumber = /^\W{0,3}\d{1,3},\d{3}(?:\s*[a-z]{1,3}\.?)?$/i

function ambiguousNumberIn(raw: RawRecord): string | undefined {
  const [name, cell] =
    Object.entries(raw).find(([, value]) => ambiguousNumber.test(String(value).trim())) ?? []
  if (name === undefined) return undefined
  return `${name} is ambiguous: in a file separated by semicolons, the comma of "${String(cell).trim()}" may be decimal`
}

const separators: readonly Separator[] = [",", ";", "\t"]

/**
 * The separator that makes a line the header of the source. Without one, a later step rejects the file for
 * its columns, which are those by the most frequent separator of the first lines.
 */
export function separatorOf(start: string, columns: Columns): Separator {
  const lines = start.split(/\r\n|\n|\r/).filter((line) => line.trim() !== "")
  for (const line of lines) {
    const separator = separators.find((each) => layoutOf(columns, namesIn(line, each)))
    if (separator) return separator
  }
  const first = lines.slice(0, 4).join("\n")
  const unquoted = first.replace(/"[^"]*"/g, "")
  const count = (separator: Separator) => unquoted.split(separator).length
  return separators.reduce((most, each) => (count(each) > count(most) ? each : most))
}

/** Names of columns contain no separators. */
const namesIn = (line: string, separator: Separator): string[] =>
  line.split(separator).map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"))

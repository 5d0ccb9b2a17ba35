/**
 * Reads CSV (RFC 4180) as records with the line on which each begins. Values may also be separated by
 * semicolons, or by tabs and then without quotes.
 *
 * Our own reader because it must reject a malformed record alone, once, and with its line; and an
 * unterminated quote must not use all memory.
 */
import { damaged } from "../load-error.ts"
import type { RefuseFile } from "./row.ts"
import { linesOf, maxRecordLength } from "./text.ts"

export type Separator = "," | ";" | "\t"

/** A record and, if it is malformed, its fault. */
export interface TableRecord {
  line: number
  cells: string[]
  error: string | null
  /** As in the file, with its line break. */
  text: string
}

/** A record with more has no values, but separators without end. */
const maxCells = 1_000_000

/** Skips records without any value, which spreadsheets write. */
export async function* csvRecords(
  text: AsyncIterable<string>,
  separator: Separator,
  refuse: RefuseFile,
): AsyncGenerator<TableRecord> {
  let line = 0
  let open: OpenRecord | null = null
  for await (const lines of linesOf(text, refuse)) {
    for (const content of lines) {
      line++
      open ??= { line, cells: [], error: null, text: "", quoted: null }
      open.text += content
      if (open.text.length > maxRecordLength) refuse(unterminated(open.line))
      readLine(open, content, separator)
      if (open.cells.length > maxCells)
        refuse(`line ${line} has more than ${maxCells} columns. Save the file again`)
      if (open.quoted !== null) continue
      if (open.error !== null || open.cells.some((cell) => cell !== "")) yield open
      open = null
    }
  }
  if (open === null) return
  refuse(
    open.error === null
      ? damaged(`it is truncated: it ends inside a quoted value (line ${open.line})`)
      : unterminated(open.line),
  )
}

const unterminated = (line: number): string => `unterminated quoted value (line ${line})`

interface OpenRecord extends TableRecord {
  /** The part read so far of a quoted value that does not end on its line. */
  quoted: string | null
}

function readLine(record: OpenRecord, content: string, separator: Separator): void {
  const line = content.replace(/\r?\n$/, "")
  for (let index = 0; index >= 0 && record.cells.length <= maxCells; ) {
    if (record.quoted === null && line[index] === '"' && separator !== "\t") {
      record.quoted = ""
      index++
    }
    index = (record.quoted === null ? readPlain : readQuoted)(record, line, index, separator)
  }
  if (record.quoted !== null) record.quoted += content.slice(line.length)
}

/** @returns where the next value begins; -1 at the end of the line */
function readPlain(record: OpenRecord, line: string, index: number, separator: Separator): number {
  const end = line.indexOf(separator, index)
  const cell = line.slice(index, end < 0 ? undefined : end)
  if (separator !== "\t" && cell.includes('"'))
    record.error ??= "an unquoted value contains a quote"
  record.cells.push(cell)
  return end < 0 ? end : end + 1
}

/** The same of a value in quotes, of which this line may have the beginning, a part or the end. */
function readQuoted(record: OpenRecord, line: string, index: number, separator: Separator): number {
  let value = record.quoted ?? ""
  for (let from = index; ; ) {
    const end = line.indexOf('"', from)
    if (end < 0) {
      record.quoted = value + line.slice(from)
      return -1
    }
    value += line.slice(from, end)
    const next = line[end + 1]
    if (next === undefined || next === separator) {
      record.cells.push(value)
      record.quoted = null
      return next === undefined ? -1 : end + 2
    }
    if (next !== '"')
      record.error ??= "text follows a closing quote; double the quotes inside a quoted value"
    value += '"'
    from = next === '"' ? end + 2 : end + 1
  }
}

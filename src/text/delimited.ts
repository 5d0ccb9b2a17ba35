/**
 * CSV (RFC 4180) and TSV: a header row of field names, then a row per record. Unknown values are empty. In
 * TSV, which has no quoting, a run of tabs and line breaks inside a value is one space. Rows are written as
 * bytes, from the UTF-8 text of cells as the database sends it, without a string for each: an export has
 * millions.
 */

export type DelimitedFormat = "csv" | "tsv"

export interface Column {
  name: string
  type: "string" | "number" | "boolean"
  /** Whether its values are free text, which a spreadsheet could run as a formula. */
  freeText: boolean
}

/** Takes the cells of each row in their order. */
export interface DelimitedEncoder {
  /** The next cell: its text is what is between the offsets. */
  cell(text: Uint8Array, start: number, end: number): void
  /** The next cell, for null. */
  emptyCell(): void
  endRow(): void
  /** What has been written. */
  bytes(): Uint8Array<ArrayBuffer>
}

export interface DelimitedWriter {
  /** The header row. */
  header: string
  rows(records: readonly Readonly<Record<string, unknown>>[]): string
  /** An encoder for a chunk of rows. A chunk needs about as much memory as the one before. */
  newEncoder(): DelimitedEncoder
}

/** Spreadsheets run a cell that begins like this as a formula, unless an apostrophe precedes it. */
const formulaStart = /^[=+\-@\t\r]/
const isGuarded = /^'[=+\-@\t\r]/

/** The text before the formula guard. */
export const unguardFormula = (text: string): string =>
  isGuarded.test(text) ? text.slice(1) : text

/** Writes rows of one format and one set of columns. */
export function delimitedWriter(
  format: DelimitedFormat,
  columns: readonly Column[],
  options: { formulaGuard: boolean },
): DelimitedWriter {
  const separator = format === "csv" ? "," : "\t"
  let size = firstSize
  function newEncoder(): DelimitedEncoder {
    const encoder = delimitedEncoder(format, columns, { ...options, size })
    const bytes = (): Uint8Array<ArrayBuffer> => {
      const written = encoder.bytes()
      size = Math.max(firstSize, Math.ceil(1.1 * written.length))
      return written
    }
    return { ...encoder, bytes }
  }
  return {
    header: `${columns.map(({ name }) => name).join(separator)}\r\n`,
    newEncoder,
    rows(records) {
      const encoder = newEncoder()
      for (const record of records) {
        for (const { name } of columns) {
          const value = record[name]
          if (value === null || value === undefined) {
            encoder.emptyCell()
          } else {
            const text = utf8.encode(String(value))
            encoder.cell(text, 0, text.length)
          }
        }
        encoder.endRow()
      }
      return fromUtf8.decode(encoder.bytes())
    },
  }
}

const space = 0x20
const quote = 0x22
const apostrophe = 0x27
const carriageReturn = 0x0d
const lineFeed = 0x0a
const letterT = 0x74

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** For each byte whether it is in the set. */
function byteSet(bytes: Iterable<number>): Uint8Array {
  const set = new Uint8Array(256)
  for (const byte of bytes) set[byte] = 1
  return set
}

const ascii = Array.from({ length: 128 }, (_, code) => code)
const formulaStarts = byteSet(ascii.filter((code) => formulaStart.test(String.fromCharCode(code))))
const quotedBytes = byteSet(utf8.encode('",\r\n'))
const lineBytes = byteSet(utf8.encode("\t\r\n"))
const numberBytes = byteSet(utf8.encode("0123456789."))

/** Numbers of up to 15 digits, without sign or exponent, are written alike by SQL and by JavaScript. */
const plainNumberLength = 16
const longestNumber = 24
const trueText = utf8.encode("true")
const falseText = utf8.encode("false")

const firstSize = 64 * 1024

function delimitedEncoder(
  format: DelimitedFormat,
  columns: readonly Column[],
  options: { formulaGuard: boolean; size: number },
): DelimitedEncoder {
  const [separator = 0] = utf8.encode(format === "csv" ? "," : "\t")
  const writeText = format === "csv" ? writeQuoted : writeFlat
  const cells = columns.map(({ type, freeText }) => ({
    type,
    guard: freeText && options.formulaGuard,
  }))
  let out = new Uint8Array(options.size)
  let length = 0
  let column = 0

  /** Makes room for that many bytes, a separator and the end of the row. */
  function reserve(count: number): void {
    const needed = length + count + 3
    if (needed <= out.length) return
    const grown = new Uint8Array(Math.max(needed, 2 * out.length))
    grown.set(out.subarray(0, length))
    out = grown
  }

  function write(text: Uint8Array, start = 0, end = text.length): void {
    const to = out
    let at = length
    for (let from = start; from < end; from++) to[at++] = text[from] as number
    length = at
  }

  /** CSV: in quotes where that is needed, which shows only while the text is written. */
  function writeQuoted(text: Uint8Array, start: number, end: number, guard: boolean): void {
    const to = out
    let at = length
    const isFormula = guard && formulaStarts[text[start] as number] === 1
    if (isFormula) to[at++] = apostrophe
    for (let from = start; from < end; from++) {
      const byte = text[from] as number
      if (quotedBytes[byte] === 1) {
        writeInQuotes(text, start, end, isFormula)
        return
      }
      to[at++] = byte
    }
    length = at
  }

  function writeInQuotes(text: Uint8Array, start: number, end: number, isFormula: boolean): void {
    const to = out
    let at = length
    to[at++] = quote
    if (isFormula) to[at++] = apostrophe
    for (let from = start; from < end; from++) {
      const byte = text[from] as number
      if (byte === quote) to[at++] = quote
      to[at++] = byte
    }
    to[at++] = quote
    length = at
  }

  /** TSV: a run of tabs and line breaks is one space. */
  function writeFlat(text: Uint8Array, start: number, end: number, guard: boolean): void {
    const to = out
    let at = length
    const first = text[start] as number
    if (guard && formulaStarts[first] === 1) to[at++] = apostrophe
    let inRun = false
    for (let from = start; from < end; from++) {
      const byte = text[from] as number
      const isLine = lineBytes[byte] === 1
      if (!isLine) to[at++] = byte
      else if (!inRun) to[at++] = space
      inRun = isLine
    }
    length = at
  }

  function writeNumber(text: Uint8Array, start: number, end: number): void {
    if (isPlainNumber(text, start, end)) write(text, start, end)
    else write(utf8.encode(String(Number(fromUtf8.decode(text.subarray(start, end))))))
  }

  function begin(count: number): void {
    reserve(count)
    if (column > 0) out[length++] = separator
  }

  return {
    cell(text, start, end) {
      // Quotes at most double the text.
      begin(2 * (end - start) + longestNumber)
      const cell = cells[column++]
      if (cell?.type === "number") writeNumber(text, start, end)
      else if (cell?.type === "boolean") write(text[start] === letterT ? trueText : falseText)
      else if (end > start) writeText(text, start, end, cell?.guard === true)
    },
    emptyCell() {
      begin(0)
      column++
    },
    endRow() {
      column = 0
      out[length++] = carriageReturn
      out[length++] = lineFeed
    },
    bytes: () => out.subarray(0, length),
  }
}

function isPlainNumber(text: Uint8Array, start: number, end: number): boolean {
  if (end - start > plainNumberLength) return false
  for (let from = start; from < end; from++) {
    if (numberBytes[text[from] as number] === 0) return false
  }
  return true
}

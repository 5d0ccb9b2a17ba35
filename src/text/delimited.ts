/**
 * CSV (RFC 4180) and TSV: a header row of field names, then a row per record. Unknown values are empty. In
 * TSV, which has no quoting, a run of tabs and line breaks inside a value is one space. Rows are written as
 * bytes, from the UTF-8 text of cells as the database sends it, without a string for each: an export has
 * millions.
 */

export interface Column {
  name: string
  /** Only free text may be what a spreadsheet would run as a formula. */
  type: "text" | "date" | "number" | "boolean"
}

const space = 0x20
const quote = 0x22
const apostrophe = 0x27
const carriageReturn = 0x0d
const lineFeed = 0x0a
const point = 0x2e
const nine = 0x39
const letterT = 0x74

const utf8 = new TextEncoder()
const fromUtf8 = new TextDecoder("utf-8", { ignoreBOM: true })
const trueText = utf8.encode("true")
const falseText = utf8.encode("false")

/** For each byte whether it is one of these characters. */
function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256)
  for (const byte of utf8.encode(characters)) set[byte] = 1
  return set
}

/** Spreadsheets run a cell that begins like this as a formula, unless an apostrophe precedes it. */
const formulaStarts = byteSet("=+-@\t\r")
const quotedBytes = byteSet('",\r\n')
const lineBytes = byteSet("\t\r\n")

/** The text before the formula guard. */
export const unguardFormula = (text: string): string => text.replace(/^'(?=[=+\-@\t\r])/, "")

/** In bytes. */
const firstSize = 64 * 1024
const longestNumber = 24

/** Writes rows of one format and one set of columns. */
export function delimitedWriter(
  format: "csv" | "tsv",
  columns: readonly Column[],
  { formulaGuard }: { formulaGuard: boolean },
) {
  const separator = format === "csv" ? "," : "\t"
  const separatorByte = separator.charCodeAt(0)
  let size = firstSize

  /** Encodes a chunk of rows, which needs about as much memory as the one before. */
  function newEncoder() {
    let out = new Uint8Array(size)
    let length = 0
    let column = 0
    const writeText = format === "csv" ? writeQuoted : writeFlat

    /** Begins a cell: makes room for that many bytes, a separator and the end of the row. */
    function begin(count: number): void {
      const needed = length + count + 3
      if (needed > out.length) {
        const grown = new Uint8Array(Math.max(needed, 2 * out.length))
        grown.set(out.subarray(0, length))
        out = grown
      }
      if (column > 0) out[length++] = separatorByte
    }

    function write(text: Uint8Array, start = 0, end = text.length): void {
      const to = out
      let at = length
      for (let from = start; from < end; from++) to[at++] = text[from] as number
      length = at
    }

    /** CSV: in quotes where that is needed, which shows only while the text is written. */
    function writeQuoted(
      text: Uint8Array,
      start: number,
      end: number,
      guard: boolean,
      inQuotes = false,
    ): void {
      const to = out
      let at = length
      if (inQuotes) to[at++] = quote
      if (guard && formulaStarts[text[start] as number] === 1) to[at++] = apostrophe
      for (let from = start; from < end; from++) {
        const byte = text[from] as number
        if (quotedBytes[byte] === 1) {
          if (!inQuotes) {
            writeQuoted(text, start, end, guard, true)
            return
          }
          if (byte === quote) to[at++] = quote
        }
        to[at++] = byte
      }
      if (inQuotes) to[at++] = quote
      length = at
    }

    /** TSV: a run of tabs and line breaks is one space. */
    function writeFlat(text: Uint8Array, start: number, end: number, guard: boolean): void {
      const to = out
      let at = length
      if (guard && formulaStarts[text[start] as number] === 1) to[at++] = apostrophe
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

    /** SQL and JavaScript write a number alike, unless it has a sign or an exponent. */
    function writeNumber(text: Uint8Array, start: number, end: number): void {
      let isPlain = true
      for (let from = start; isPlain && from < end; from++) {
        const byte = text[from] as number
        isPlain = byte >= point && byte <= nine
      }
      if (isPlain) write(text, start, end)
      else write(utf8.encode(String(Number(fromUtf8.decode(text.subarray(start, end))))))
    }

    return {
      /** The next cell of the row: its text is what is between the offsets. */
      cell(text: Uint8Array, start: number, end: number): void {
        // Quotes at most double the text.
        begin(2 * (end - start) + longestNumber)
        const type = columns[column++]?.type
        if (type === "number") writeNumber(text, start, end)
        else if (type === "boolean") write(text[start] === letterT ? trueText : falseText)
        else if (end > start) writeText(text, start, end, formulaGuard && type === "text")
      },
      /** The next cell, for null. */
      emptyCell(): void {
        begin(0)
        column++
      },
      endRow(): void {
        column = 0
        out[length++] = carriageReturn
        out[length++] = lineFeed
      },
      /** What has been written. */
      bytes(): Uint8Array<ArrayBuffer> {
        size = Math.max(firstSize, Math.ceil(1.1 * length))
        return out.subarray(0, length)
      },
    }
  }

  /** The rows as text. */
  function rows(records: readonly Readonly<Record<string, unknown>>[]): string {
    const encoder = newEncoder()
    for (const record of records) {
      for (const { name } of columns) {
        const value = record[name]
        if (value === null || value === undefined) {
          encoder.emptyCell()
        } else {
          const text = utf8.encode(Array.isArray(value) ? value.join("; ") : String(value))
          encoder.cell(text, 0, text.length)
        }
      }
      encoder.endRow()
    }
    return fromUtf8.decode(encoder.bytes())
  }

  return { header: `${columns.map(({ name }) => name).join(separator)}\r\n`, rows, newEncoder }
}

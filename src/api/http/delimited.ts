/**
 * Writes CSV (RFC 4180) and TSV: a header row of field names, then a row per record. Unknown values are empty.
 * TSV has no quoting, so a run of tabs and line breaks inside a value becomes one space. Cells are copied as
 * UTF-8 bytes from the database, because a string for each of millions of cells is slow.
 */

export interface DelimitedColumn {
  name: string
  /** A spreadsheet may run free text, and no other type, as a formula. A geometry is text of GeoJSON. */
  type: "text" | "date" | "instant" | "integer" | "number" | "boolean" | "geometry"
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

/** Returns 1 at each byte that is one of these characters. */
function byteSet(characters: string): Uint8Array {
  const set = new Uint8Array(256)
  for (const byte of utf8.encode(characters)) set[byte] = 1
  return set
}

/** Spreadsheets run a cell that begins with one of these as a formula, unless an apostrophe precedes it. */
const formulaStarts = byteSet("=+-@\t\r")
const quotedBytes = byteSet('",\r\n')
const lineBytes = byteSet("\t\r\n")

/** The well-known text of a polygon or multi-polygon, which is shorter. @param geoJson with its type first */
export function wktOf(geoJson: string): string {
  const coordinates = geoJson
    .slice(geoJson.indexOf("["), -1)
    .replace(/\[([-\d.]+),([-\d.]+)\]/g, "$1 $2")
    .replaceAll("[", "(")
    .replaceAll("]", ")")
    .replaceAll(",", ", ")
  return `${geoJson.includes('"MultiPolygon"') ? "MULTIPOLYGON" : "POLYGON"} ${coordinates}`
}

/** Removes the apostrophe of the formula guard. */
export const unguardFormula = (text: string): string => text.replace(/^'(?=[=+\-@\t\r])/, "")

/** In bytes. */
const firstSize = 64 * 1024
const longestNumber = 24

/** Writes rows of one format and one set of columns. */
export function delimitedWriter(
  format: "csv" | "tsv",
  columns: readonly DelimitedColumn[],
  { formulaGuard }: { formulaGuard: boolean },
) {
  const separator = format === "csv" ? "," : "\t"
  const separatorByte = separator.charCodeAt(0)
  let size = firstSize

  /** Encodes a chunk of rows. Its first buffer has about the size of the previous chunk. */
  function newEncoder() {
    let out = new Uint8Array(size)
    let length = 0
    let column = 0
    const writeText = format === "csv" ? writeQuoted : writeFlat

    /** Begins a cell: grows the buffer for that many bytes, a separator and the end of the row. */
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
      let index = length
      for (let from = start; from < end; from++) to[index++] = text[from] as number
      length = index
    }

    /** CSV. Restarts in quotes at the first character that needs them. */
    function writeQuoted(
      text: Uint8Array,
      start: number,
      end: number,
      guard: boolean,
      inQuotes = false,
    ): void {
      const to = out
      let index = length
      if (inQuotes) to[index++] = quote
      if (guard && formulaStarts[text[start] as number] === 1) to[index++] = apostrophe
      for (let from = start; from < end; from++) {
        const byte = text[from] as number
        if (quotedBytes[byte] === 1) {
          if (!inQuotes) {
            writeQuoted(text, start, end, guard, true)
            return
          }
          if (byte === quote) to[index++] = quote
        }
        to[index++] = byte
      }
      if (inQuotes) to[index++] = quote
      length = index
    }

    /** TSV. */
    function writeFlat(text: Uint8Array, start: number, end: number, guard: boolean): void {
      const to = out
      let index = length
      if (guard && formulaStarts[text[start] as number] === 1) to[index++] = apostrophe
      let inRun = false
      for (let from = start; from < end; from++) {
        const byte = text[from] as number
        const isLine = lineBytes[byte] === 1
        if (!isLine) to[index++] = byte
        else if (!inRun) to[index++] = space
        inRun = isLine
      }
      length = index
    }

    /** SQL and JavaScript write numbers without a sign or exponent alike. */
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
      /** Writes the next cell of the row: the text between the offsets. */
      cell(text: Uint8Array, start: number, end: number): void {
        // Quotes at most double the text.
        begin(2 * (end - start) + longestNumber)
        const type = columns[column++]?.type
        if (type === "number" || type === "integer") writeNumber(text, start, end)
        else if (type === "boolean") write(text[start] === letterT ? trueText : falseText)
        else if (type === "geometry") {
          const written = utf8.encode(wktOf(fromUtf8.decode(text.subarray(start, end))))
          writeText(written, 0, written.length, false)
        } else if (end > start) writeText(text, start, end, formulaGuard && type === "text")
      },
      /** Writes the next cell for null. */
      emptyCell(): void {
        begin(0)
        column++
      },
      endRow(): void {
        column = 0
        out[length++] = carriageReturn
        out[length++] = lineFeed
      },
      /** Returns the encoded rows. */
      content(): Uint8Array<ArrayBuffer> {
        size = Math.max(firstSize, Math.ceil(1.1 * length))
        return out.subarray(0, length)
      },
    }
  }

  /** Returns records as text. Lists are joined by `; `. */
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
    return fromUtf8.decode(encoder.content())
  }

  return { header: `${columns.map(({ name }) => name).join(separator)}\r\n`, rows, newEncoder }
}

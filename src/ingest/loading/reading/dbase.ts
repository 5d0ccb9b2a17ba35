/**
 * Reads dBase III and IV and FoxPro tables, the format of a shapefile's attributes: a header of 32
 * bytes, 32 bytes for each column, then records of fixed width, each preceded by a blank or, if it
 * is deleted, an asterisk. Values are text; memos are in another file and are not read.
 *
 * Our own reader because it streams, also from a zip file, and rejects a file with fewer records than its
 * header states.
 */
import { byteReader } from "../../../system/text/byte-reader.ts"
import { damaged } from "../load-error.ts"
import { rowShape } from "../staged-shape.ts"
import { matchHeader, rowReader } from "./named-rows.ts"
import type { FileReading, InputFile, Row } from "./row.ts"
import { shapesBeside } from "./shapes.ts"

/** The version bytes of dBase III and IV and FoxPro, with and without memos. */
const versions = new Set([0x03, 0x30, 0x31, 0x32, 0x43, 0x63, 0x83, 0x8b, 0xcb, 0xf5])
const endOfColumns = 0x0d
const deleted = 0x2a

export function isDbase(start: Uint8Array): boolean {
  const [version = 0, , month = 99, day = 99] = start
  if (start.length < 65 || !versions.has(version) || month > 12 || day > 31) return false
  const { headerLength, recordLength } = sizesOf(Buffer.from(start))
  return headerLength >= 65 && recordLength >= 2 && start.subarray(32, 43).includes(0)
}

/** @param companion finds the other parts of the shapefile, which has a shape for each record */
export async function* readDbase(
  bytes: AsyncIterable<Uint8Array>,
  reading: FileReading,
  companion: InputFile["companion"],
): AsyncGenerator<Row> {
  const { refuse } = reading
  const take = byteReader(bytes)
  const sizes = sizesOf((await take(32)) ?? refuse(damaged("it is truncated in its header")))
  const columns = columnsOf(
    (await take(sizes.headerLength - 32)) ?? refuse(damaged("it is truncated in its header")),
  )
  const names = columns.map(({ name }) => name)
  matchHeader(reading, names)
  if (sizes.records === 0) refuse("it has a header but no rows")
  const rowOf = rowReader(reading)
  const shapes = await shapesBeside(companion, reading)
  for (let record = 1; record <= sizes.records; record++) {
    const content =
      (await take(sizes.recordLength)) ??
      refuse(damaged(`it is truncated: it has ${record - 1} of ${sizes.records} records`))
    const shape = await shapes?.next()
    if (shape?.done) refuse(`its .shp has ${record - 1} of ${sizes.records} records`)
    if (content[0] === deleted) continue
    const raw: Record<string, unknown> = {}
    let fault: string | undefined
    for (const { name, type, from, to } of columns) {
      const value = readValue(type, content.subarray(from, to), sizes.languageDriver)
      if (value === undefined) fault ??= `${name} is not text in UTF-8 or Windows-1252`
      else raw[name] = value
    }
    const row = rowOf(raw, record)
    if (row.error === undefined && shape?.value) row.shape = rowShape(shape.value)
    yield fault === undefined || row.error !== undefined
      ? row
      : { line: record, raw, error: `${fault}; save the table as CSV`, readable: row.raw }
  }
  if (shapes && !(await shapes.next()).done) refuse("its .shp has more records than its table")
}

function sizesOf(start: Buffer) {
  return {
    records: start.readUInt32LE(4),
    headerLength: start.readUInt16LE(8),
    recordLength: start.readUInt16LE(10),
    languageDriver: start.readUInt8(29),
  }
}

/** The columns, each with its place within a record. */
function columnsOf(header: Buffer) {
  const columns: { name: string; type: string; from: number; to: number }[] = []
  let from = 1
  for (let index = 0; index + 32 <= header.length && header[index] !== endOfColumns; index += 32) {
    const name = header.toString("latin1", index, index + 11).replace(/\0.*$/s, "")
    const type = String.fromCharCode(header.readUInt8(index + 11))
    const length = header.readUInt8(index + 16)
    // The high byte of a text column's length is where numbers have their decimals.
    const to = from + (type === "C" ? length + header.readUInt8(index + 17) * 256 : length)
    columns.push({ name, type, from, to })
    from = to
  }
  return columns
}

/** Null for an empty value, undefined for text in another encoding. Dates stay YYYYMMDD. */
function readValue(type: string, bytes: Buffer, languageDriver: number): unknown {
  const ascii = () => bytes.toString("latin1").replaceAll("\0", "").trim()
  switch (type) {
    case "C":
      return textOf(bytes, languageDriver)
    case "N":
    case "F":
    case "D":
      return ascii() || null
    case "L":
      return /^[TY]/i.test(ascii()) ? true : /^[FN]/i.test(ascii()) ? false : null
    case "I":
      return bytes.length === 4 ? bytes.readInt32LE() : null
    default:
      return null
  }
}

function withoutPadding(bytes: Buffer): Buffer {
  let end = bytes.length
  while (bytes[end - 1] === 0x20 || bytes[end - 1] === 0) end--
  return bytes.subarray(0, end)
}

/** The language drivers for Windows-1252, and those without a code page. */
const windowsDrivers = new Set([0, 3, 87, 88, 89])
const windows = new TextDecoder("windows-1252")

/** UTF-8 where it is valid: files that have it often state another code page, or none. */
function textOf(cell: Buffer, languageDriver: number): string | undefined {
  const bytes = withoutPadding(cell)
  try {
    // `stream` drops half a character at the end.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
    const text = decoder.decode(bytes, { stream: true })
    const half = bytes.subarray(Buffer.byteLength(text))
    if (half.length === 0 || (bytes.length === cell.length && isTruncated(text, half))) return text
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
  }
  return windowsDrivers.has(languageDriver) ? windows.decode(bytes) : undefined
}

/** In Windows-1252 they are Â, Ã and â, which hardly end a name. In UTF-8 they begin accented letters and dashes. */
const firstBytes = [0xc2, 0xc3, 0xe2]

/** Columns are truncated to a number of bytes. One byte after ASCII may also be a letter of Windows-1252. */
const isTruncated = (text: string, half: Buffer): boolean =>
  half.length > 1 || Buffer.byteLength(text) > text.length || firstBytes.includes(half[0] ?? 0)

/**
 * A column of a row group. Equal values are stored once, by the bytes of their text, and decoded once. A column
 * with many equal values is written as a dictionary and the places in it, another one as its values.
 */
import { ByteWriter, type SchemaElement } from "hyparquet-writer"
import { writePageHeader } from "hyparquet-writer/src/datapage.js"

import type { Column } from "../text/delimited.ts"
import { snappyCompress } from "./snappy.ts"

/** The cells of a column: their texts, one after another. */
export interface Cells {
  bytes: Uint8Array
  length: number
  /** For each row the offset of the end of its text, or -1 for null. */
  ends: number[]
}

/** A text as UTF-8 bytes between two offsets. */
type Text = readonly [bytes: Uint8Array, from: number, to: number]

interface ParquetType {
  element: Pick<SchemaElement, "converted_type" | "logical_type"> &
    Required<Pick<SchemaElement, "type">>
  /** Absent for texts. `write` encodes the value of a text in this many bytes. */
  fixed?: { size: number; write: (view: DataView, at: number, ...text: Text) => void }
}

export const parquetTypes: Readonly<Record<Column["type"], ParquetType>> = {
  text: {
    element: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  },
  integer: {
    element: { type: "INT64" },
    fixed: {
      size: 8,
      write: (view, at, ...text) => view.setBigInt64(at, BigInt(stringOf(...text)), true),
    },
  },
  number: {
    element: { type: "DOUBLE" },
    fixed: { size: 8, write: (view, at, ...text) => view.setFloat64(at, numberOf(...text), true) },
  },
  /** A byte for each value, until the page packs them into bits. */
  boolean: {
    element: { type: "BOOLEAN" },
    fixed: {
      size: 1,
      write: (view, at, ...text) => view.setUint8(at, stringOf(...text).startsWith("t") ? 1 : 0),
    },
  },
  date: {
    element: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
    fixed: {
      size: 4,
      write: (view, at, bytes, from) => view.setInt32(at, dayNumber(bytes, from), true),
    },
  },
  instant: {
    element: {
      type: "INT64",
      converted_type: "TIMESTAMP_MILLIS",
      logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
    },
    fixed: {
      size: 8,
      write: (view, at, ...text) =>
        view.setBigInt64(at, BigInt(Date.parse(stringOf(...text))), true),
    },
  },
}

/** From 0000-03-01. */
const daysTo1970 = 719_468
const zero = 0x30
const point = 0x2e
/** A number of up to fifteen digits is exact, and so is the division by the power of ten that it needs. */
const exactDigits = 15

const stringOf = (...[bytes, from, to]: Text): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString("latin1")

/** A decimal such as 212.75 is read without a string. */
function numberOf(...text: Text): number {
  const [bytes, from, to] = text
  if (to - from > exactDigits) return Number(stringOf(...text))
  let digits = 0
  let scale = 0
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] as number) - zero
    if (digit >= 0 && digit <= 9) {
      digits = 10 * digits + digit
      scale *= 10
    } else if (bytes[at] === point && scale === 0) scale = 1
    else return Number(stringOf(...text))
  }
  return scale === 0 ? digits : digits / scale
}

/** The days from 1970-01-01 to a day such as `2026-01-31`. Years begin in March, after the leap day. */
function dayNumber(bytes: Uint8Array, from: number): number {
  const part = (start: number, length: number): number => {
    let digits = 0
    for (let at = from + start; at < from + start + length; at++) {
      digits = 10 * digits + (bytes[at] as number) - zero
    }
    return digits
  }
  const month = part(5, 2)
  const year = part(0, 4) - (month > 2 ? 0 : 1)
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  const fromMarch = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  return 365 * year + leapDays + fromMarch + part(8, 2) - 1 - daysTo1970
}

/** The distinct values, one after another as a page has them. */
interface Values {
  bytes: Uint8Array
  /** For each value the offset of its beginning, and at the end that of the end. */
  offsets: Int32Array
}

/** Before each text. */
const lengthSize = 4

export function createParquetColumn(
  { name, type, nullable }: Column & { nullable: boolean },
  maxRows: number,
) {
  const { element, fixed } = parquetTypes[type]
  const mask = 2 ** Math.ceil(Math.log2(maxRows + 1)) - 1
  /** The place of a distinct text, from 1, by its hash. */
  const table = new Int32Array(mask + 1)
  const offsets = new Int32Array(maxRows + 1)
  /** For each row the place of its value, or -1 for null. */
  const places = new Int32Array(maxRows)
  let texts = new Uint8Array(64 * 1024)
  let view = new DataView(texts.buffer)
  let distinct = 0
  let rows = 0
  let nulls = 0

  function append(text: Uint8Array, start: number, end: number): void {
    const at = offsets[distinct] as number
    const next = at + lengthSize + end - start
    if (next > texts.length) {
      const longer = new Uint8Array(Math.max(next, 2 * texts.length))
      longer.set(texts.subarray(0, at))
      texts = longer
      view = new DataView(texts.buffer)
    }
    view.setUint32(at, end - start, true)
    copy(text, start, end, texts, at + lengthSize)
    offsets[++distinct] = next
  }

  /** The place of the text between the offsets. */
  function placeOf(text: Uint8Array, start: number, end: number): number {
    let slot = hashOf(text, start, end) & mask
    for (;;) {
      const place = (table[slot] as number) - 1
      if (place < 0) {
        table[slot] = distinct + 1
        append(text, start, end)
        return distinct - 1
      }
      const from = (offsets[place] as number) + lengthSize
      const length = (offsets[place + 1] as number) - from
      if (length === end - start && isSame(texts, from, text, start, length)) return place
      slot = (slot + 1) & mask
    }
  }

  /** The distinct values, decoded. */
  function distinctValues(): Values {
    if (!fixed) return { bytes: texts, offsets }
    const { size, write } = fixed
    const bytes = new Uint8Array(size * distinct)
    const decoded = new DataView(bytes.buffer)
    for (let place = 0; place < distinct; place++) {
      const from = (offsets[place] as number) + lengthSize
      write(decoded, size * place, texts, from, offsets[place + 1] as number)
    }
    return { bytes, offsets: offsets.subarray(0, distinct + 1).map((_, place) => size * place) }
  }

  return {
    add({ bytes, ends }: Cells, count: number): void {
      // With more distinct values, a dictionary does not pay, and neither does the search for equal ones.
      const isLookedUp = 2 * distinct <= rows
      let start = 0
      for (let row = 0; row < count; row++) {
        const end = ends[row] as number
        if (end < 0) {
          places[rows++] = -1
          nulls++
        } else {
          if (isLookedUp) places[rows++] = placeOf(bytes, start, end)
          else {
            places[rows++] = distinct
            append(bytes, start, end)
          }
          start = end
        }
      }
    },
    /** Writes all values, and is empty again. @returns what the footer has of them */
    write(out: ByteWriter) {
      const column = places.subarray(0, rows)
      const present = nulls === 0 ? column : column.filter((place) => place >= 0)
      const values = distinctValues()
      const start = out.offset
      const hasDictionary = type !== "boolean" && distinct > 0 && 2 * distinct <= present.length
      let size = 0
      if (hasDictionary) {
        const body = values.bytes.subarray(0, values.offsets[distinct])
        size += writePage(out, body, noLevels, (sizes) => ({
          type: "DICTIONARY_PAGE",
          ...sizes,
          dictionary_page_header: { num_values: distinct, encoding: "PLAIN" },
        }))
      }
      const dataPage = out.offset
      const encoding = hasDictionary ? "RLE_DICTIONARY" : "PLAIN"
      const plain = hasDictionary ? placesPage(present, distinct) : valuesOf(present, values)
      const levels = nullable ? definitionLevels(column, nulls) : noLevels
      size += writePage(out, type === "boolean" ? packed(plain, 1) : plain, levels, (sizes) => ({
        type: "DATA_PAGE_V2",
        ...sizes,
        data_page_header_v2: {
          num_values: column.length,
          num_nulls: nulls,
          num_rows: column.length,
          encoding,
          definition_levels_byte_length: levels.length,
          repetition_levels_byte_length: 0,
          is_compressed: true,
        },
      }))
      const file_offset = BigInt(start)
      const meta_data = {
        type: element.type,
        encodings: ["PLAIN" as const, "RLE" as const, "RLE_DICTIONARY" as const],
        path_in_schema: [name],
        codec: "SNAPPY" as const,
        num_values: BigInt(column.length),
        total_uncompressed_size: BigInt(size),
        total_compressed_size: BigInt(out.offset - start),
        data_page_offset: BigInt(dataPage),
        ...(hasDictionary && { dictionary_page_offset: file_offset }),
      }
      table.fill(0)
      distinct = 0
      rows = 0
      nulls = 0
      return { file_offset, meta_data }
    },
  }
}

const noLevels = new Uint8Array(0)

/** @returns its size before compression, with its header */
function writePage(
  out: ByteWriter,
  body: Uint8Array,
  levels: Uint8Array,
  headerOf: (
    sizes: Pick<PageHeader, "uncompressed_page_size" | "compressed_page_size">,
  ) => PageHeader,
): number {
  const compressed = snappyCompress(body)
  const start = out.offset
  const uncompressed_page_size = levels.length + body.length
  const compressed_page_size = levels.length + compressed.length
  writePageHeader(out, headerOf({ uncompressed_page_size, compressed_page_size }))
  const headerSize = out.offset - start
  out.appendBytes(levels)
  out.appendBytes(compressed)
  return headerSize + uncompressed_page_size
}

type PageHeader = Parameters<typeof writePageHeader>[1]

/** Whether each row has a value. */
function definitionLevels(places: Int32Array, nulls: number): Uint8Array {
  const levels = new ByteWriter()
  if (nulls === 0) {
    levels.appendVarInt(places.length << 1)
    levels.appendUint8(1)
  } else {
    const isPresent = places.map((place) => (place < 0 ? 0 : 1))
    appendPacked(levels, isPresent, 1)
  }
  return levels.getBytes()
}

/** The places of the rows' values in the dictionary. */
function placesPage(places: Int32Array, distinct: number): Uint8Array {
  const width = 32 - Math.clz32(distinct - 1)
  const page = new ByteWriter()
  page.appendUint8(width)
  appendPacked(page, places, width)
  return page.getBytes()
}

/** A run of packed numbers, after its header. */
function appendPacked(out: ByteWriter, numbers: Int32Array, width: number): void {
  out.appendVarInt((Math.ceil(numbers.length / 8) << 1) | 1)
  out.appendBytes(packed(numbers, width))
}

/** The rows' values, one after another. */
function valuesOf(places: Int32Array, { bytes, offsets }: Values): Uint8Array {
  let length = 0
  for (let row = 0; row < places.length; row++) {
    const place = places[row] as number
    length += (offsets[place + 1] as number) - (offsets[place] as number)
  }
  const page = new Uint8Array(length)
  let at = 0
  for (let row = 0; row < places.length; row++) {
    const place = places[row] as number
    const start = offsets[place] as number
    const end = offsets[place + 1] as number
    copy(bytes, start, end, page, at)
    at += end - start
  }
  return page
}

/** Numbers of so many bits, the lowest first, in groups of eight. */
function packed(numbers: ArrayLike<number>, width: number): Uint8Array {
  const bytes = new Uint8Array(width * Math.ceil(numbers.length / 8))
  let pending = 0
  let pendingBits = 0
  let at = 0
  for (let index = 0; index < numbers.length; index++) {
    pending |= (numbers[index] as number) << pendingBits
    pendingBits += width
    for (; pendingBits >= 8; pendingBits -= 8, pending >>>= 8) bytes[at++] = pending & 0xff
  }
  if (pendingBits > 0) bytes[at] = pending
  return bytes
}

/** FNV-1a, whose high bits are mixed into those that choose a slot. */
function hashOf(text: Uint8Array, start: number, end: number): number {
  let hash = end - start
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (text[at] as number), 16_777_619)
  return hash ^ (hash >>> 15)
}

function isSame(
  a: Uint8Array,
  from: number,
  b: Uint8Array,
  start: number,
  length: number,
): boolean {
  for (let at = 0; at < length; at++) if (a[from + at] !== b[start + at]) return false
  return true
}

/** A loop, because a call of `set` costs more than most texts are long. */
function copy(text: Uint8Array, start: number, end: number, to: Uint8Array, place: number): void {
  for (let from = start, at = place; from < end; from++, at++) to[at] = text[from] as number
}

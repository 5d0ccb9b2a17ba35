/** Writes dBase tables, shapefiles and zip files byte by byte, so that the readers are tested against the formats. */
import { deflateRawSync } from "node:zlib"

export interface DbaseColumn {
  name: string
  type: "C" | "N" | "F" | "D" | "L"
  length: number
}

export interface DbaseOptions {
  version?: number
  languageDriver?: number
  /** Numbers of the records that are deleted. */
  deleted?: readonly number[]
  /** A number of records other than the true one, for the header. */
  records?: number
}

/** Cells are bytes, or text in Latin-1. */
export function dbaseFile(
  columns: readonly DbaseColumn[],
  rows: readonly (readonly (string | Buffer)[])[],
  { version = 3, languageDriver = 0, deleted = [], records = rows.length }: DbaseOptions = {},
): Buffer {
  const headerLength = 32 + 32 * columns.length + 1
  const header = Buffer.alloc(headerLength)
  header.writeUInt8(version, 0)
  header.set([126, 7, 1], 1)
  header.writeUInt32LE(records, 4)
  header.writeUInt16LE(headerLength, 8)
  header.writeUInt16LE(1 + columns.reduce((sum, { length }) => sum + length, 0), 10)
  header.writeUInt8(languageDriver, 29)
  for (const [index, { name, type, length }] of columns.entries()) {
    const at = 32 + 32 * index
    header.write(name, at, "latin1")
    header.write(type, at + 11, "latin1")
    header.writeUInt16LE(length, at + 16)
  }
  header.writeUInt8(0x0d, headerLength - 1)
  const contents = rows.map((row, index) =>
    Buffer.concat([
      Buffer.from(deleted.includes(index + 1) ? "*" : " "),
      ...columns.map(({ type, length }, at) => {
        const cell = row[at] ?? ""
        const bytes = typeof cell === "string" ? Buffer.from(cell, "latin1") : cell
        const blanks = Buffer.alloc(length - bytes.length, " ")
        return Buffer.concat(type === "N" || type === "F" ? [blanks, bytes] : [bytes, blanks])
      }),
    ]),
  )
  return Buffer.concat([header, ...contents, Buffer.from([0x1a])])
}

export function zipFile(entries: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content)
    const packed = deflateRawSync(bytes)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(Bun.hash.crc32(bytes), 10)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(bytes.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from("PK\u0003\u0004"), fields, Buffer.from(name), packed])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(
      Buffer.concat([Buffer.from("PK\u0001\u0002\u0014\u0000"), fields, rest, Buffer.from(name)]),
    )
    parts.push(local)
    offset += local.length
  }
  const end = Buffer.alloc(22)
  end.write("PK\u0005\u0006", "latin1")
  end.writeUInt16LE(directory.length, 8)
  end.writeUInt16LE(directory.length, 10)
  end.writeUInt32LE(Buffer.concat(directory).length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

export type Position = readonly [x: number, y: number]

const polygonType = 5

/** A record's content by the ESRI Shapefile Technical Description. @param rings null for a null shape */
function contentOf(rings: Position[][] | null, type: number): Buffer {
  if (!rings) return Buffer.alloc(4)
  const points = rings.flat()
  const heights = type === 15 ? 16 + points.length * 8 : 0
  const content = Buffer.alloc(44 + rings.length * 4 + points.length * 16 + heights)
  content.writeInt32LE(type, 0)
  content.writeInt32LE(rings.length, 36)
  content.writeInt32LE(points.length, 40)
  let start = 0
  for (const [index, ring] of rings.entries()) {
    content.writeInt32LE(start, 44 + index * 4)
    start += ring.length
  }
  for (const [index, [x, y]] of points.entries()) {
    content.writeDoubleLE(x, 44 + rings.length * 4 + index * 16)
    content.writeDoubleLE(y, 44 + rings.length * 4 + index * 16 + 8)
  }
  return content
}

export function shapefile(records: (Position[][] | null)[], type = polygonType): Buffer {
  const written = records.map((rings, index) => {
    const content = contentOf(rings, type)
    const start = Buffer.alloc(8)
    start.writeInt32BE(index + 1, 0)
    start.writeInt32BE(content.length / 2, 4)
    return Buffer.concat([start, content])
  })
  const header = Buffer.alloc(100)
  const file = Buffer.concat([header, ...written])
  file.writeInt32BE(9994, 0)
  file.writeInt32BE(file.length / 2, 24)
  file.writeInt32LE(1000, 28)
  file.writeInt32LE(type, 32)
  return file
}

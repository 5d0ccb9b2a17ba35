/**
 * Reads the polygons of a shapefile (`.shp`, ESRI Shapefile Technical Description, 1998): a header of 100
 * bytes, then records that each begin with a number and a length. Heights and measures are not read.
 *
 * Our own reader because it streams, rejects truncated files and wrong counts, and tells outlines from holes
 * by containment. The npm package `shapefile` uses directions, which published files do not respect.
 */
import { byteReader } from "../../system/text/byte-reader.ts"
import {
  maxPoints,
  noShape,
  otherType,
  readUnorderedRings,
  type ShapeRead,
  type ToDegrees,
  tooLarge,
} from "./read-rings.ts"

const fileCode = 9994
const nullShape = 0
/** Polygons, also with heights and with measures. */
const polygonTypes = [5, 15, 25]

/** Of a polygon's type, box and counts, in bytes. */
const fixedLength = 44

/**
 * One shape for each record, deleted ones too: the first belongs to record 1 of the dBase table.
 * @param reject ends the load. Its parameter says why the file cannot be read
 */
export async function* readShapefile(
  bytes: AsyncIterable<Uint8Array>,
  toDegrees: ToDegrees,
  reject: (fault: string) => never,
): AsyncGenerator<ShapeRead> {
  const take = byteReader(bytes)
  const truncated = (where: string) => reject(`it is truncated ${where}. Download or save it again`)
  const header = (await take(100)) ?? truncated("in its header")
  if (header.readInt32BE(0) !== fileCode) reject("it is not a shapefile")
  const type = header.readInt32LE(32)
  if (type !== nullShape && !polygonTypes.includes(type))
    reject(
      `it contains no polygons, but shapes of type ${type}. Load only the table with --without-shapes`,
    )
  let left = lengthAt(header, 24) - header.length
  if (left < 0) reject("the length in its header is wrong")
  for (let record = 1; left > 0; record++) {
    const start = (await take(8)) ?? truncated(`in record ${record}`)
    const length = lengthAt(start, 4)
    left -= start.length + length
    if (start.readInt32BE(0) !== record)
      reject(`record ${record} has the number ${start.readInt32BE(0)}, so shapes cannot be matched`)
    if (length < 4 || left < 0) reject(`the length of record ${record} is wrong`)
    const content = (await take(length)) ?? truncated(`in record ${record}`)
    yield readRecord(content, toDegrees) ?? reject(`record ${record} is malformed`)
  }
}

/** Lengths count words of 16 bits. */
const lengthAt = (bytes: Buffer, offset: number): number => bytes.readInt32BE(offset) * 2

/** Undefined for a malformed record. */
function readRecord(content: Buffer, toDegrees: ToDegrees): ShapeRead | undefined {
  const type = content.readInt32LE(0)
  if (type === nullShape) return noShape
  if (!polygonTypes.includes(type)) return otherType
  if (content.length < fixedLength) return undefined
  const partCount = content.readInt32LE(36)
  const pointCount = content.readInt32LE(40)
  const pointsFrom = fixedLength + partCount * 4
  if (partCount < 0 || pointCount < 0 || content.length < pointsFrom + pointCount * 16)
    return undefined
  if (pointCount > maxPoints) return tooLarge
  const starts = Array.from({ length: partCount }, (_, part) =>
    content.readInt32LE(fixedLength + part * 4),
  )
  const ends = [...starts.slice(1), pointCount]
  if ((starts[0] ?? 0) !== 0 || starts.some((start, part) => start > (ends[part] ?? 0)))
    return undefined
  const pointAt = (index: number) => [
    content.readDoubleLE(pointsFrom + index * 16),
    content.readDoubleLE(pointsFrom + index * 16 + 8),
  ]
  const rings = starts.map((start, part) =>
    Array.from({ length: (ends[part] ?? start) - start }, (_, index) => pointAt(start + index)),
  )
  return readUnorderedRings(rings, toDegrees)
}

/** Shapefiles are read record by record, and a damaged file is rejected with the place of its damage. */
import { expect, test } from "bun:test"
import { readPolygons, type ShapeRead } from "../../../src/data/places/read-rings.ts"
import { readShapefile } from "../../../src/data/places/shapefile.ts"
import { type Position, shapefile } from "../../ingest/loading/packed-files.ts"
import { closed, square } from "./shapes.ts"

/** Outlines are clockwise in shapefiles, and holes are not. */
const clockwise = (west: number): Position[] => closed(square(west, -31, 1)).toReversed()

async function read(file: Uint8Array, chunkLength = 7): Promise<ShapeRead[]> {
  async function* chunks() {
    for (let at = 0; at < file.length; at += chunkLength) yield file.subarray(at, at + chunkLength)
  }
  const reject = (fault: string): never => {
    throw new Error(fault)
  }
  return Array.fromAsync(readShapefile(chunks(), (x, y) => [x, y], reject))
}

async function faultOf(file: Uint8Array): Promise<string> {
  return read(file).then(
    () => "none",
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
}

const outline = clockwise(121)
const hole = closed(square(121.2, -30.8, 0.1))
const second = clockwise(125)
const records = [[outline, hole], null, [second.toReversed(), outline]]

const expected: ShapeRead[] = [
  readPolygons([[outline, hole]], (x, y) => [x, y]),
  { shape: null, leftOut: [] },
  readPolygons([[outline], [second]], (x, y) => [x, y]),
]

test.each([5, 15, 25])(
  "Polygons of type %d are read, each null shape in its place",
  async (type) => {
    expect(await read(shapefile(records, type))).toEqual(expected)
    expect(await read(shapefile(records, type), 1_000_000)).toEqual(expected)
  },
)

test("A file without records has no shapes", async () => {
  expect(await read(shapefile([]))).toEqual([])
})

test("A record without a valid ring keeps its place", async () => {
  const read3 = await read(shapefile([[outline.slice(0, 2)], [], [outline]]))
  expect(read3.map(({ shape, leftOut }) => [shape?.length ?? null, leftOut])).toEqual([
    [null, ["a ring of fewer than three different points"]],
    [null, ["an empty shape"]],
    [1, []],
  ])
})

test("A record of too many points is left out at once, and those after it are read", async () => {
  const points = Array.from({ length: 1_000_000 }, (): Position => [121, -31])
  const file = shapefile([[points], [outline]])
  const started = performance.now()
  const read2 = await read(file, 1000)
  expect(performance.now() - started).toBeLessThan(2000)
  expect(read2).toEqual([
    { shape: null, leftOut: ["a shape of more than 100,000 points"] },
    readPolygons([[outline]], (x, y) => [x, y]),
  ])
})

test("Coordinates that are not a number, or infinite, are left out", async () => {
  const nan: Position[] = [[Number.NaN, Number.NaN], ...outline.slice(1)]
  const infinite: Position[] = [[-1e39, Number.NEGATIVE_INFINITY], ...outline.slice(1)]
  const reason = "a ring with a coordinate that is not a number"
  expect(await read(shapefile([[nan], [infinite]]))).toEqual([
    { shape: null, leftOut: [reason] },
    { shape: null, leftOut: [reason] },
  ])
})

test("A file that ends anywhere before its stated length is rejected", async () => {
  const file = shapefile(records)
  for (let length = 0; length < file.length; length++)
    expect(await faultOf(file.subarray(0, length))).toMatch(
      /^it is truncated in (its header|record [123])\. Download or save it again$/,
    )
})

const firstRecord = 100

/** Writes numbers over a file: at an offset, in big-endian order. */
const changed = (offset: number, value: number, order: "BE" | "LE" = "LE"): Buffer => {
  const file = shapefile(records)
  if (order === "BE") file.writeInt32BE(value, offset)
  else file.writeInt32LE(value, offset)
  return file
}

const noPolygons = (type: number) =>
  `it contains no polygons, but shapes of type ${type}. Load only the table with --without-shapes`

test("A line among polygons is left out, and the records after it are read", async () => {
  const [line, ...others] = await read(changed(firstRecord + 8, 3))
  expect(line).toEqual({ shape: null, leftOut: ["a geometry other than a polygon"] })
  expect(others).toEqual(expected.slice(1))
})

test.each<[string, Buffer, string]>([
  ["another format", changed(0, 1, "BE"), "it is not a shapefile"],
  ["points", changed(32, 1), noPolygons(1)],
  ["lines with heights", changed(32, 13), noPolygons(13)],
  ["surfaces", changed(32, 31), noPolygons(31)],
  ["a negative length", changed(24, -1, "BE"), "the length in its header is wrong"],
  ["a record past the end", changed(firstRecord + 4, 1e9, "BE"), "the length of record 1 is wrong"],
  ["a record of nothing", changed(firstRecord + 4, 0, "BE"), "the length of record 1 is wrong"],
  ["a negative record", changed(firstRecord + 4, -50, "BE"), "the length of record 1 is wrong"],
  [
    "a missing record",
    changed(firstRecord, 2, "BE"),
    "record 1 has the number 2, so shapes cannot be matched",
  ],
  ["two thousand million parts", changed(firstRecord + 8 + 36, 2e9), "record 1 is malformed"],
  ["negative parts", changed(firstRecord + 8 + 36, -1), "record 1 is malformed"],
  ["two thousand million points", changed(firstRecord + 8 + 40, 2e9), "record 1 is malformed"],
  [
    "a part that begins after the first point",
    changed(firstRecord + 8 + 44, 1),
    "record 1 is malformed",
  ],
  ["a part past the end", changed(firstRecord + 8 + 48, 11), "record 1 is malformed"],
  ["a part before the start", changed(firstRecord + 8 + 48, -1), "record 1 is malformed"],
])("A file with %s is rejected", async (_, file, fault) => {
  expect(await faultOf(file)).toBe(fault)
})

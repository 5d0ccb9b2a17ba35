/** Geometries are read in every notation, and anything that is no shape is left out with its reason. */
import { expect, test } from "bun:test"
import { wktOf } from "../../../src/api/http/delimited.ts"
import { readGeometry } from "../../../src/data/places/read-geometry.ts"
import { circle, closed, geoJsonOf, makePolygons, square } from "./shapes.ts"

const read = (geometry: unknown) => readGeometry(geometry, (x, y) => [x, y])

const outline = square(121, -31, 1)
const polygon = { type: "Polygon", coordinates: [closed(outline)] }

test("All notations of a geometry are the same shape", () => {
  for (let seed = 0; seed < 50; seed++) {
    const coordinates = makePolygons(seed).map((rings) => rings.map(closed))
    const expected = read({ type: "MultiPolygon", coordinates })
    const { shape } = expected
    if (!shape) throw new Error("No shape was read")
    const geoJson = geoJsonOf(shape)
    const withHeights = coordinates.flatMap((rings) =>
      rings.map((ring) => ring.map(([x, y]) => [x, y, 300, null])),
    )
    const notations = [
      JSON.parse(geoJson),
      geoJson,
      `  ${wktOf(geoJson).toLowerCase()} `,
      wktOf(geoJson)
        .replace("POLYGON ", "POLYGON Z")
        .replace(/(\d)([,)])/g, "$1 12.5$2"),
      wktOf(geoJson).replaceAll(", ", " ,\n").replaceAll("(", "( "),
      wktOf(geoJson).replace(/(-?)(\d+)\.?(\d*)/g, (_, sign, whole, decimals) =>
        sign === "-" ? `-${whole}${decimals}e-${decimals.length}` : `+${whole}.${decimals}`,
      ),
      { rings: coordinates.flat() },
      { hasZ: true, hasM: true, rings: withHeights },
      JSON.stringify({ rings: coordinates.flat() }),
    ]
    for (const notation of notations) expect(read(notation)).toEqual(expected)
  }
})

const notGeometry = "a geometry that is neither GeoJSON nor well-known text"
const malformed = "a shape whose coordinates are not lists of numbers"
const notNumber = "a ring with a coordinate that is not a number"
const outside = "a ring outside of 90 to 180 degrees east and 60 to 0 degrees south"
const tooFew = "a ring of fewer than three different points"
const empty = "an empty shape"

const ring = (...positions: unknown[]) => ({ type: "Polygon", coordinates: [positions] })

test.each<[string, unknown, string]>([
  ["a point", { type: "Point", coordinates: [121, -31] }, "a geometry other than a polygon"],
  ["a line", "LINESTRING (121 -31, 122 -31)", "a geometry other than a polygon"],
  [
    "a collection without polygons",
    { type: "GeometryCollection", geometries: [{ type: "Point", coordinates: [121, -31] }, null] },
    "a geometry other than a polygon",
  ],
  ["an unknown type", { type: "Circle" }, "a geometry other than a polygon"],
  ["curves", { curveRings: [] }, "a shape with curves"],
  ["other text", "E 04/1131", notGeometry],
  ["truncated text", "POLYGON ((121 -31, 122 -31, 122 -30)", notGeometry],
  ["text with one number of a point", "POLYGON ((121 -31, 122, 122 -30))", notNumber],
  ["text with five numbers of a point", "POLYGON ((121 -31 0 0 0, 122 -31, 122 -30))", notGeometry],
  ["text with lists of JSON", "POLYGON ((121 -31, [122,-31], 122 -30))", notGeometry],
  ["truncated JSON", '{"type":"Polygon","coordinates":[[[121', notGeometry],
  ["a number", 5, notGeometry],
  ["no coordinates", { type: "Polygon" }, malformed],
  ["a polygon of one position", { type: "Polygon", coordinates: [121, -31] }, malformed],
  ["deep nesting", `POLYGON ${"(".repeat(50_000)}121 -31${")".repeat(50_000)}`, notNumber],
  ["a text as number", ring(["121", -31], [122, -31], [122, -30]), notNumber],
  ["a null", ring([121, -31], [null, -31], [122, -30]), notNumber],
  [
    "NaN",
    {
      rings: [
        [
          [Number.NaN, Number.NaN],
          [122, -31],
          [122, -30],
        ],
      ],
    },
    notNumber,
  ],
  ["infinity", JSON.parse('{"rings": [[[1e999, -31], [122, -31], [122, -30]]]}'), notNumber],
  ["NaN in text", "POLYGON ((NaN NaN, 122 -31, 122 -30))", notGeometry],
  ["no ring", { type: "Polygon", coordinates: [] }, empty],
  ["no polygon", { type: "MultiPolygon", coordinates: [] }, empty],
  ["empty text", "MULTIPOLYGON EMPTY", empty],
  ["no rings", { rings: [] }, empty],
  ["no point", ring(), empty],
  ["two points", ring([121, -31], [122, -31], [121, -31]), tooFew],
  [
    "three points within a microdegree",
    ring([121, -31], [121.0000001, -31], [121, -31.0000001]),
    tooFew,
  ],
  ["another continent", ring([21, -31], [22, -31], [22, -30]), outside],
  ["the date line", ring([179, -31], [181, -31], [180, -30]), outside],
  ["the date line from the west", ring([179, -31], [-179, -31], [180, -30]), outside],
  [
    "swapped",
    ring([-31, 121], [-31, 122], [-30, 122]),
    `${outside} (are latitude and longitude swapped?)`,
  ],
  [
    "metres",
    ring([500000, 6500000], [500100, 6500000], [500100, 6500100]),
    `${outside} (are its coordinates in metres, or in another reference system?)`,
  ],
  ["over 100,000 points", ring(...circle(100_001)), "a shape of more than 100,000 points"],
  [
    "over 100,000 points in rings",
    { rings: [circle(50_000), circle(50_001)] },
    "a shape of more than 100,000 points",
  ],
])("Of %s nothing is read, with its reason", (_, geometry, reason) => {
  expect(read(geometry)).toEqual({ shape: null, leftOut: [reason] })
})

test("The polygons of a collection are taken, and its other members left out", () => {
  const second = [square(125, -31, 1)]
  const members = [polygon, { type: "MultiPolygon", coordinates: [second] }]
  const line = { type: "LineString", coordinates: outline }
  const expected = read({ type: "MultiPolygon", coordinates: [[outline], second] })
  const collection = (geometries: unknown[]) => read({ type: "GeometryCollection", geometries })
  expect(collection(members)).toEqual(expected)
  expect(collection([line, ...members])).toEqual({
    ...expected,
    leftOut: ["a geometry other than a polygon"],
  })
  expect(collection([polygon, { type: "MultiPolygon" }]).leftOut).toEqual([malformed])
})

test("The polygons of a collection in text are taken, too", () => {
  const corners = (west: number) => `${west} -31, ${west + 1} -31, ${west + 1} -30, ${west} -30`
  const [one, other] = [`POLYGON((${corners(121)}))`, `MultiPolygon Z (((${corners(125)})))`]
  const expected = read({
    type: "MultiPolygon",
    coordinates: [[outline], [square(125, -31, 1)]],
  })
  expect(read(`GEOMETRYCOLLECTION(${one},${other})`)).toEqual(expected)
  expect(read(`GeometryCollection Z ( ${one} , LINESTRING (1e2 2, 3 4), ${other})`)).toEqual({
    ...expected,
    leftOut: ["a geometry other than a polygon"],
  })
  for (const text of ["GEOMETRYCOLLECTION EMPTY", "GEOMETRYCOLLECTION (POINT (121 -31))"])
    expect(read(text).leftOut).toEqual(["a geometry other than a polygon"])
  for (const faulty of [`${one},`, `(${one}`, `${one} ${other}`, `${one},POLYGON((121 -31)`, ","])
    expect(read(`GEOMETRYCOLLECTION(${faulty})`)).toEqual({ shape: null, leftOut: [notGeometry] })
})

test("Only the invalid ring is left out", () => {
  const invalid = [
    [122, -31],
    [122, -30],
  ]
  const expected = read(polygon).shape
  expect(read({ type: "Polygon", coordinates: [outline, invalid] })).toEqual({
    shape: expected,
    leftOut: [tooFew],
  })
  expect(read({ rings: [invalid, outline, square(0, 0, 1)] })).toEqual({
    shape: expected,
    leftOut: [tooFew, outside],
  })
})

test("A polygon without its outline has no shape, and its holes do not become parts", () => {
  const hole = square(121.2, -30.8, 0.1)
  const coordinates = [[square(0, 0, 1), hole], [outline]]
  expect(read({ type: "MultiPolygon", coordinates })).toEqual({
    shape: read(polygon).shape,
    leftOut: [outside],
  })
})

test("A ring that crosses itself is a shape", () => {
  const { shape, leftOut } = read(ring([121, -31], [122, -30], [122, -31], [121, -30]))
  expect(shape).toHaveLength(1)
  expect(leftOut).toEqual([])
})

test("100,000 points and a thousand holes are read within seconds of CPU time", () => {
  const started = process.cpuUsage()
  expect(read(ring(...circle(100_000))).shape?.[0]?.outline.length).toBe(100_000)
  const holes = Array.from({ length: 1000 }, (_, hole) =>
    square(120.5 + Math.floor(hole / 40) / 40, -31.5 + (hole % 40) / 40, 0.01),
  )
  const { shape } = read({ rings: [...holes, circle(90_000)] })
  expect(shape?.map(({ holes }) => holes.length)).toEqual([1000])
  expect(read({ type: "Polygon", coordinates: [circle(90_000), ...holes] }).shape).toEqual(shape)
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1e6).toBeLessThan(10)
})

test("A text of 60,000 digits is rejected within milliseconds of CPU time", () => {
  const digits = "1".repeat(60_000)
  const started = process.cpuUsage()
  for (const text of [digits, `1.${digits}`, `${digits}${" ".repeat(60_000)}`])
    expect(read(`POLYGON ((${text}))`).shape).toBeNull()
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1e6).toBeLessThan(0.5)
})

test("2,000 nested rings of 100,000 points are read within seconds of CPU time, and more rings left out", () => {
  const rings = Array.from({ length: 2000 }, (_, index) =>
    circle(50).map(([x = 0, y = 0]) => [
      121 + (x - 121) * (1 - index / 2000),
      -31 + (y + 31) * (1 - index / 2000),
    ]),
  )
  const started = process.cpuUsage()
  const { shape, leftOut } = read({ rings })
  expect(shape?.map(({ holes }) => holes.length)).toEqual(rings.slice(0, 1000).map(() => 1))
  expect(leftOut).toEqual([])
  const { user, system } = process.cpuUsage(started)
  expect((user + system) / 1e6).toBeLessThan(10)
  const tooMany = { shape: null, leftOut: ["a shape of more than 2,000 rings"] }
  const oneMore = [...rings, outline]
  expect(read({ rings: oneMore.map((ring) => ring.slice(0, 3)) })).toEqual(tooMany)
  expect(read({ type: "MultiPolygon", coordinates: oneMore.map(() => [outline]) })).toEqual(tooMany)
})

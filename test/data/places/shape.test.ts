/** Equal shapes are equal in every spelling, are written by the standards, and have a point inside. */
import { expect, test } from "bun:test"
import { wktOf } from "../../../src/api/http/delimited.ts"
import { pointInside, surrounds } from "../../../src/data/places/inside.ts"
import { readPolygons, readUnorderedRings } from "../../../src/data/places/read-rings.ts"
import { boundsOf, canonicalShape, type Shape, signedArea } from "../../../src/data/places/shape.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"
import {
  geoJsonOf,
  makePolygons,
  type Polygon,
  type Position,
  respell,
  shuffled,
  square,
} from "./shapes.ts"

const asStated = (x: number, y: number) => [x, y] as const

function shapeOf(polygons: Polygon[]): Shape {
  const { shape } = readPolygons(polygons, asStated)
  if (!shape) throw new Error("No shape was read")
  return shape
}

/** @param corners as in well-known text */
const ring = (corners: string): Position[] =>
  corners.split(", ").map((corner): Position => {
    const [longitude = 0, latitude = 0] = corner.split(" ").map(Number)
    return [longitude, latitude]
  })

/** Touching itself at corners, as sub-blocks do: in one corner twice, in the first corner, in three loops. */
const selfTouching: Polygon[][] = [
  [[ring("121 -31, 122 -31, 122 -30, 123 -30, 123 -29, 122 -29, 122 -30, 121 -30")]],
  [[ring("121 -31, 122 -32, 122 -31.5, 121 -31, 122 -30.5, 122 -30")]],
  [[ring("121 -31, 121 -32, 122 -32, 121 -31, 122 -31, 122 -30, 121 -31, 120 -31, 120 -30")]],
  // The same loop twice, and a ring that crosses itself with an area of 0.
  [[ring("121 -31, 122 -31, 122 -30, 121 -31, 122 -31, 122 -30")]],
  [[ring("121 -31, 122 -30, 122 -31, 121 -30")]],
  // A hole that touches its outline.
  [[ring("121 -31, 124 -31, 124 -28, 121 -28"), ring("121 -31, 122 -30, 122 -29")]],
]

test("500 other spellings of each shape have the same canonical form, digest and point", () => {
  const below = seededIntegers(1)
  const all = [...selfTouching, ...Array.from({ length: 5 }, (_, seed) => makePolygons(seed))]
  for (const polygons of all) {
    const shape = shapeOf(polygons)
    for (let spelling = 0; spelling < 500; spelling++) {
      const other = shapeOf(respell(polygons, below))
      expect(other).toEqual(shape)
      expect(geoJsonOf(other)).toBe(geoJsonOf(shape))
      expect(pointInside(other)).toEqual(pointInside(shape))
    }
  }
})

test("Rings without an order have the shape that their nesting states", () => {
  const below = seededIntegers(2)
  for (let seed = 0; seed < 200; seed++) {
    const polygons = makePolygons(seed)
    const rings = shuffled(respell(polygons, below).flat(), below)
    expect(readUnorderedRings(rings, asStated).shape).toEqual(shapeOf(polygons))
  }
})

test("A part that lies in a hole of another is a part", () => {
  const around = (half: number) => square(121 - half, -31 - half, 2 * half)
  const { shape } = readUnorderedRings([1, 4, 3, 2].map(around), asStated)
  expect(shape?.map(({ outline, holes }) => [outline[0], holes.map((hole) => hole[0])])).toEqual([
    [[117e6, -35e6], [[118e6, -34e6]]],
    [[119e6, -33e6], [[120e6, -32e6]]],
  ])
})

test("Another shape has another digest", () => {
  const digests = Array.from({ length: 200 }, (_, seed) => geoJsonOf(shapeOf(makePolygons(seed))))
  expect(new Set(digests).size).toBe(200)
  const [polygon = []] = selfTouching[5] ?? []
  const [outline = []] = polygon
  expect(geoJsonOf(shapeOf([polygon]))).not.toBe(geoJsonOf(shapeOf([[outline]])))
})

test("Shapes of one record are joined, each part once", () => {
  const [one, other] = [makePolygons(1), makePolygons(2)]
  const joined = canonicalShape([...shapeOf(other), ...shapeOf(one), ...shapeOf(other)])
  expect(joined).toEqual(shapeOf([...one, ...other]))
})

const withHole: Polygon = [
  ring("121.0000004 -31, 121 -30, 122.5 -30, 122.5 -31.123456789"),
  ring("121.5 -30.5, 121.6 -30.5, 121.5 -30.4"),
]

test("GeoJSON has outlines counter-clockwise, holes clockwise, and closed rings of six decimals", () => {
  const outline = "[[121,-31],[122.5,-31.123457],[122.5,-30],[121,-30],[121,-31]]"
  const hole = "[[121.5,-30.5],[121.5,-30.4],[121.6,-30.5],[121.5,-30.5]]"
  expect(geoJsonOf(shapeOf([withHole]))).toBe(
    `{"type":"Polygon","coordinates":[${outline},${hole}]}`,
  )
  const triangle: Polygon = [ring("151 -1, 151 -0.0000001, 150 -0.000001")]
  expect(geoJsonOf(shapeOf([triangle, withHole]))).toBe(
    `{"type":"MultiPolygon","coordinates":[[${outline},${hole}],[[[150,-0.000001],[151,-1],[151,0],[150,-0.000001]]]]}`,
  )
  for (const { outline, holes } of shapeOf([triangle, withHole])) {
    expect(signedArea(outline)).toBeGreaterThan(0)
    for (const hole of holes) expect(signedArea(hole)).toBeLessThan(0)
  }
})

test("Well-known text has the coordinates of the GeoJSON", () => {
  const triangle: Polygon = [ring("151 -1, 151 0, 150 -0.000001")]
  expect(wktOf(geoJsonOf(shapeOf([triangle])))).toBe(
    "POLYGON ((150 -0.000001, 151 -1, 151 0, 150 -0.000001))",
  )
  expect(wktOf(geoJsonOf(shapeOf([triangle, withHole])))).toBe(
    "MULTIPOLYGON (((121 -31, 122.5 -31.123457, 122.5 -30, 121 -30, 121 -31), " +
      "(121.5 -30.5, 121.5 -30.4, 121.6 -30.5, 121.5 -30.5)), " +
      "((150 -0.000001, 151 -1, 151 0, 150 -0.000001)))",
  )
})

test("The point is inside the largest part and outside of its holes", () => {
  for (let seed = 0; seed < 500; seed++) {
    const shape = shapeOf(makePolygons(seed))
    const point = pointInside(shape)
    const parts = shape.filter(({ outline }) => surrounds(outline, point))
    expect(parts).toHaveLength(1)
    expect(parts[0]?.holes.filter((hole) => surrounds(hole, point))).toEqual([])
    const areas = shape.map(({ outline, holes }) =>
      [outline, ...holes].reduce((sum, ring) => sum + signedArea(ring), 0),
    )
    expect(areas.indexOf(Math.max(...areas))).toBe(
      parts.map((part) => shape.indexOf(part))[0] ?? -1,
    )
  }
})

test("The point of blocks is not on a border, also where an edge crosses the middle", () => {
  const steps: Polygon = [ring("121 -31, 122 -31, 122 -30.5, 121.5 -30.5, 121.5 -30, 121 -30")]
  const [x, y] = pointInside(shapeOf([steps]))
  expect([x, y]).toEqual([121.5e6, -30.625e6])
})

test("The point of blocks stays where their corners move by a metre", () => {
  const below = seededIntegers(3)
  const minute = 1 / 60
  for (let count = 0; count < 500; count++) {
    // Rows of blocks that overlap, and parts of one block each.
    const rows = Array.from({ length: 2 + below(12) }, () => [below(4), 5 + below(6)])
    const left = rows.map(([west = 0], row) => [
      [west, row],
      [west, row + 1],
    ])
    const right = rows.map(([, east = 0], row) => [
      [east, row],
      [east, row + 1],
    ])
    const outline = [...left.flat(), ...right.flat().toReversed()]
    const parts = Array.from({ length: below(4) }, (_, part) => square(20 + 3 * part, 0, 1))
    const pointWith = (metres: number) => {
      const shifted = [outline, ...parts].map((ring) => [
        ring.map(([x = 0, y = 0]): [number, number] => [
          121 + x * minute + metres * 1e-5,
          -31 + y * minute - metres * 9e-6,
        ]),
      ])
      return pointInside(
        shapeOf(count % 2 === 0 ? shifted : shifted.slice(1).concat(shifted.slice(0, 1))),
      )
    }
    const [x, y] = pointWith(0)
    for (const metres of [0.1, 0.7, 1.5]) {
      const [movedX, movedY] = pointWith(metres)
      expect(Math.hypot(movedX - x, movedY - y)).toBeLessThan(30)
    }
  }
})

test("A hole outside of its outline leaves the point inside", () => {
  const [x, y] = pointInside(shapeOf([[square(121, -31, 1), square(125, -31, 9)]]))
  expect([x > 121e6 && x < 122e6, y > -31e6 && y < -30e6]).toEqual([true, true])
})

test("A shape without an inside has one of its corners as its point", () => {
  const line: Polygon = [ring("121 -31, 122 -31, 123 -31")]
  expect(pointInside(shapeOf([line]))).toEqual([121e6, -31e6])
})

test("The bounds contain every corner and touch the outermost", () => {
  const corners = shapeOf([withHole]).flatMap(({ outline }) => outline)
  expect(boundsOf([corners])).toEqual({
    west: 121e6,
    south: -31123457,
    east: 122.5e6,
    north: -30e6,
  })
})

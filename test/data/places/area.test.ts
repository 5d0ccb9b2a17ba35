/** Boxes and circles are parsed strictly, and a circle is right to 0.3% of its distance. */
import { expect, test } from "bun:test"
import { parseBox, parseCircle } from "../../../src/data/places/area.ts"
import type { Point } from "../../../src/data/places/shape.ts"
import { seeded } from "../../../src/sample/random.ts"

const places = "Must have longitudes from 90 to 180 and latitudes from -60 to 0"
const boxOrder = "The order is west,south,east,north"
const circleOrder = "The order is latitude,longitude,km"
const fourNumbers = "Must be four decimal numbers: west,south,east,north"
const threeNumbers = "Must be three decimal numbers: latitude,longitude,km"
const distance = "Must have a distance above 0 and at most 200 km"

test("A box is a polygon and a box of whole microdegrees", () => {
  expect(parseBox("121,-31.5,122.1234567,0")).toEqual({
    bounds: "(121000000,-31500000),(122123457,0)",
    innerBox: "(121000000,-31500000),(122123457,0)",
    outlines: '{"((121000000,-31500000),(122123457,-31500000),(122123457,0),(121000000,0))"}',
    holes: "{}",
    fault: null,
  })
  expect(parseBox("90,-60,180,0")).toHaveProperty("innerBox", "(90000000,-60000000),(180000000,0)")
})

test.each([
  ["", fourNumbers],
  ["121,-31,122", fourNumbers],
  ["121,-31,122,-30,5", fourNumbers],
  ["121,-31,122,", fourNumbers],
  ["121, -31,122,-30", fourNumbers],
  ["+121,-31,122,-30", fourNumbers],
  ["1.21e2,-31,122,-30", fourNumbers],
  ["0x79,-31,122,-30", fourNumbers],
  ["121.,-31,122,-30", fourNumbers],
  ["121,-.5,122,-0.2", fourNumbers],
  ["0121,-31,122,-30", fourNumbers],
  ["NaN,-31,122,-30", fourNumbers],
  ["122,-31,121,-30", "Must have a west below its east"],
  ["121,-31,121.0000001,-30", "Must have a west below its east"],
  ["121,-30,122,-31", "Must have a south below its north"],
  ["121,-31,122,-31", "Must have a south below its north"],
  ["89.9,-31,122,-30", places],
  ["121,-31,180.1,-30", places],
  ["121,-60.1,122,-30", places],
  ["121,-31,122,0.1", places],
  ["-31,121,-30,122", `${places}. Are latitude and longitude swapped? ${boxOrder}`],
])("A box of %j is rejected: %s", (text, message) => {
  expect(parseBox(text).fault).toBe(message)
})

test.each([
  ["-31,121", `${threeNumbers}, or ID,km`],
  ["E 04/2332,5", `${threeNumbers}, or ID,km`],
  ["-31,121,5,5", threeNumbers],
  ["-31,121,1e1", threeNumbers],
  ["-31,121,5km", threeNumbers],
  ["-31,121,0", distance],
  ["-31,121,-1", distance],
  ["-31,121,200.001", distance],
  [`-31,121,${"9".repeat(400)}`, distance],
  ["-61,121,5", places],
  ["31,121,5", places],
  ["121,-31,5", `${places}. Are latitude and longitude swapped? ${circleOrder}`],
])("A circle of %j is rejected: %s", (text, message) => {
  expect(parseCircle(text).fault).toBe(message)
})

/** Of the text of a polygon or a box. */
const cornersOf = (text: string): Point[] =>
  [...text.matchAll(/\(([-\d.e]+),([-\d.e]+)\)/g)].map(([, x, y]) => [Number(x), Number(y)])

/** By the haversine formula, on a sphere of 6,371.0088 km. */
function kmBetween([x1, y1]: Point, [x2, y2]: Point): number {
  const radians = (microdegrees: number) => (microdegrees / 180e6) * Math.PI
  const haversine =
    Math.sin(radians(y2 - y1) / 2) ** 2 +
    Math.cos(radians(y1)) * Math.cos(radians(y2)) * Math.sin(radians(x2 - x1) / 2) ** 2
  return 2 * 6371.0088 * Math.asin(Math.sqrt(haversine))
}

test("Each point of a circle's border is at its distance to 0.3%, at every place and distance", () => {
  const random = seeded(1)
  const centres = Array.from({ length: 300 }, () => [-60 * random(), 90 + 90 * random()])
  let worst = 0
  for (const [latitude = 0, longitude = 0] of [...centres, [-60, 180], [0, 90], [0, 180]]) {
    for (const km of [0.001, 0.5, 10, 199.5 * random() + 0.5, 200]) {
      const centre: Point = [longitude * 1e6, latitude * 1e6]
      const corners = cornersOf(parseCircle(`${latitude},${longitude},${km}`).outlines)
      expect(corners).toHaveLength(64)
      for (const [index, [x, y]] of corners.entries()) {
        const [nextX, nextY] = corners[(index + 1) % 64] ?? [0, 0]
        for (const share of [0, 0.25, 0.5, 0.75]) {
          const point: Point = [x + share * (nextX - x), y + share * (nextY - y)]
          worst = Math.max(worst, Math.abs(kmBetween(centre, point) / km - 1))
        }
      }
    }
  }
  expect(worst).toBeLessThan(0.001)
})

test("The inner box of a circle is inside of its polygon and is about as large as it can be", () => {
  const random = seeded(2)
  for (let circle = 0; circle < 500; circle++) {
    const text = `${-60 * random()},${90 + 90 * random()},${200 * random() + 0.01}`
    const { outlines, innerBox } = parseCircle(text)
    const corners = cornersOf(outlines)
    const [[west, south] = [0, 0], [east, north] = [0, 0]] = cornersOf(innerBox)
    const boxCorners: Point[] = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ]
    // A convex polygon that runs clockwise has each point inside to the right of each edge.
    for (const [index, [x1, y1]] of corners.entries()) {
      const [x2, y2] = corners[(index + 1) % 64] ?? [0, 0]
      for (const [x, y] of [...boxCorners, ...corners]) {
        const left = (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)
        expect(left).toBeLessThanOrEqual(1e-6 * (1 + Math.abs(x2 - x1) + Math.abs(y2 - y1)))
      }
    }
    const diagonal = kmBetween([west, south], [east, north])
    expect(diagonal / 2 / Number(text.split(",")[2])).toBeWithin(0.95, 1.01)
  }
})

/** Makes shapes, and other spellings of them, from a seed. */
import { coordinatesOf, type Shape } from "../../../src/data/places/shape.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"

/** In degrees, as in GeoJSON. */
export type Position = [longitude: number, latitude: number]
export type Polygon = Position[][]

export const geoJsonOf = (shape: Shape): string =>
  JSON.stringify({
    type: shape.length === 1 ? "Polygon" : "MultiPolygon",
    coordinates: shape
      .map((part) => JSON.parse(coordinatesOf(part)))
      .flat(shape.length === 1 ? 1 : 0),
  })

/** The corners of a square from its south-west on, counter-clockwise. The ring is not closed. */
export const square = (west: number, south: number, side: number): Position[] => [
  [west, south],
  [west + side, south],
  [west + side, south + side],
  [west, south + side],
]

/** So many corners of a circle around a place at 31 degrees south. The ring is not closed. */
export const circle = (corners: number, longitude = 121, radius = 1): Position[] =>
  Array.from({ length: corners }, (_, index) => {
    const angle = (index / corners) * 2 * Math.PI
    return [longitude + radius * Math.sin(angle), -31 + radius * Math.cos(angle)]
  })

type Below = (below: number) => number

const degrees = (x: number, y: number): Position => [x / 1e6, y / 1e6]

/** A star around a centre, which never crosses itself. @param radius in microdegrees */
function star(below: Below, [x, y]: [number, number], radius: number, corners: number): Position[] {
  return Array.from({ length: corners }, (_, index) => {
    const angle = (index / corners) * 2 * Math.PI
    const length = radius * (0.6 + below(400) / 1000)
    return degrees(
      Math.round(x + length * Math.cos(angle)),
      Math.round(y + length * Math.sin(angle)),
    )
  })
}

/** One to three parts far from one another, each with up to four holes. Rings are not closed. */
export function makePolygons(seed: number): Polygon[] {
  const below = seededIntegers(seed)
  return Array.from({ length: 1 + below(3) }, (_, part) => {
    const [x, y] = [115e6 + below(30e6), -35e6 + part * 8e6]
    const radius = 1000 + below(200_000)
    const centres = [
      [1, 0],
      [-1, 0],
      [0, 1],
      [0, -1],
    ].slice(0, below(5))
    return [
      star(below, [x, y], radius, 5 + below(60)),
      ...centres.map(([right = 0, up = 0]) =>
        star(below, [x + right * radius * 0.3, y + up * radius * 0.3], radius * 0.15, 3 + below(9)),
      ),
    ]
  })
}

export const closed = (ring: Position[]): Position[] => [...ring, ...ring.slice(0, 1)]

/** The same polygons with other starting points, directions, repeated points and orders. */
export const respell = (polygons: Polygon[], below: Below): Polygon[] =>
  shuffled(
    polygons.map(([outline = [], ...holes]) => [
      respellRing(outline, below),
      ...shuffled(holes, below).map((hole) => respellRing(hole, below)),
    ]),
    below,
  )

function respellRing(ring: Position[], below: Below): Position[] {
  const start = below(ring.length)
  const rotated = [...ring.slice(start), ...ring.slice(0, start)]
  const directed = below(2) === 0 ? rotated : rotated.toReversed()
  const repeated = directed.flatMap((point) =>
    Array.from({ length: below(4) === 0 ? 2 + below(2) : 1 }, () => point),
  )
  return below(2) === 0 ? closed(repeated) : repeated
}

export function shuffled<T>(items: readonly T[], below: Below): T[] {
  const left = [...items]
  return items.flatMap(() => left.splice(below(left.length), 1))
}

/**
 * The shape of a tenement: polygons with holes, in whole microdegrees. A shape is canonical: the same shape
 * in another spelling (starting points, directions, repeated points, order of parts) is equal, so that a
 * load that reads another spelling changes nothing.
 */

/** Longitude and latitude in whole microdegrees. */
export type Point = readonly [x: number, y: number]

/** Its corners; the last one joins the first. */
export type Ring = readonly Point[]

export interface ShapePart {
  outline: Ring
  holes: readonly Ring[]
}

/** Parts in canonical form, at least one. `canonicalShape` makes it. */
export type Shape = readonly ShapePart[]

/** In whole microdegrees. */
export interface Bounds {
  west: number
  south: number
  east: number
  north: number
}

/** Australia and its waters: the service knows no other places. */
export const placesWithin: Bounds = { west: 90e6, south: -60e6, east: 180e6, north: 0 }

/**
 * Outlines run counter-clockwise and holes clockwise, as RFC 7946 has them. Each ring begins with its
 * lexicographically smallest rotation. Holes and parts are sorted, and none occurs twice.
 * @param parts rings of `ringOf`; also the parts of several shapes, to join these
 */
export function canonicalShape(parts: readonly ShapePart[]): Shape {
  const canonical = parts.map(({ outline, holes }) => ({
    outline: canonicalRing(outline, "counter-clockwise"),
    holes: distinct(holes.map((hole) => canonicalRing(hole, "clockwise"))),
  }))
  return distinct(canonical)
}

/**
 * Removes repeated points.
 * @returns null for fewer than three different points, because they enclose no area
 */
export function ringOf(points: readonly Point[]): Ring | null {
  const places = points.map(sortNumber)
  const [first] = places
  const second = places.find((place) => place !== first)
  if (places.every((place) => place === first || place === second)) return null
  return points.filter((_, index) => places[index] !== places.at(index - 1))
}

/** The coordinates of a GeoJSON polygon, in degrees with at most six decimals. RFC 7946. */
export const coordinatesOf = ({ outline, holes }: ShapePart): string =>
  JSON.stringify([outline, ...holes].map(closedRing))

export const isIn = ([x, y]: Point, { west, south, east, north }: Bounds): boolean =>
  x >= west && x <= east && y >= south && y <= north

export function boundsOf(rings: readonly Ring[]): Bounds {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const ring of rings) {
    for (const [x, y] of ring) {
      if (x < west) west = x
      if (x > east) east = x
      if (y < south) south = y
      if (y > north) north = y
    }
  }
  return { west, south, east, north }
}

/** In square microdegrees, positive for a ring that runs counter-clockwise. */
export function signedArea(ring: Ring): number {
  const [originX, originY] = ring[0] ?? [0, 0]
  let doubled = 0
  forEachEdge(ring, (x1, y1, x2, y2) => {
    doubled += (x1 - originX) * (y2 - originY) - (x2 - originX) * (y1 - originY)
  })
  return doubled / 2
}

export function forEachEdge(
  ring: Ring,
  visit: (x1: number, y1: number, x2: number, y2: number) => void,
): void {
  let from = ring.at(-1)
  for (const to of ring) {
    if (from) visit(from[0], from[1], to[0], to[1])
    from = to
  }
}

/**
 * The direction of a self-crossing ring can depend on how its area is rounded. So the area is that of one
 * spelling, the smaller of both directions.
 */
function canonicalRing(points: Ring, direction: "clockwise" | "counter-clockwise"): Ring {
  const forward = smallestRotation(points)
  const backward = smallestRotation(points.toReversed())
  const isForwardSmaller = compareRings(forward, backward) <= 0
  const [smaller, larger] = isForwardSmaller ? [forward, backward] : [backward, forward]
  const isClockwise = signedArea(smaller) < 0
  return isClockwise === (direction === "clockwise") ? smaller : larger
}

/** A ring that touches itself can pass its smallest corner more than once, so whole rotations are compared. */
function smallestRotation(ring: Ring): Ring {
  const places = ring.map(sortNumber)
  const placeAt = (index: number) => places[index % places.length] ?? 0
  const smallest = places.reduce((one, other) => Math.min(one, other))
  let start = places.indexOf(smallest)
  for (let from = start; from >= 0; from = places.indexOf(smallest, from + 1)) {
    let equal = 0
    while (equal < places.length && placeAt(from + equal) === placeAt(start + equal)) equal++
    if (placeAt(from + equal) < placeAt(start + equal)) start = from
  }
  return [...ring.slice(start), ...ring.slice(0, start)]
}

/**
 * One number for each point, in order of longitude, then latitude. It is below 2^53 within
 * `placesWithin`.
 */
const sortNumber = ([x, y]: Point): number =>
  (x - placesWithin.west) * 60_000_001 + y - placesWithin.south

function compareRings(one: Ring, other: Ring): number {
  for (const [index, point] of one.entries()) {
    const difference = sortNumber(point) - sortNumber(other[index] ?? point)
    if (difference !== 0) return difference
  }
  return 0
}

/** Sorted by their texts, without equal items. */
function distinct<T>(items: readonly T[]): readonly T[] {
  if (items.length < 2) return items
  const byText = new Map(items.map((item) => [JSON.stringify(item), item]))
  return [...byText].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, item]) => item)
}

const closedRing = (ring: Ring) =>
  [...ring, ...ring.slice(0, 1)].map(([x, y]) => [x / 1e6, y / 1e6])

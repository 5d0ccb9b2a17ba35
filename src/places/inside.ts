/** Points inside of shapes and rings. */
import {
  boundsOf,
  forEachEdge,
  type Point,
  type Ring,
  type Shape,
  type ShapePart,
  signedArea,
} from "./shape.ts"

/**
 * A point inside the largest part: the middle of the longest inner piece of a horizontal line near the
 * middle of the part. It is the first corner of a part that has no inside.
 */
export function pointInside(shape: Shape): Point {
  const largest = shape.reduce((one, other) => (areaOf(other) > areaOf(one) ? other : one))
  const [x, y] = pointInPart(largest)
  return [Math.round(x), Math.round(y)]
}

/** Holes run clockwise, so their areas are negative. */
const areaOf = ({ outline, holes }: ShapePart): number =>
  [outline, ...holes].reduce((sum, ring) => sum + signedArea(ring), 0)

/** With fractions of a microdegree. */
export function pointInPart({ outline, holes }: ShapePart): Point {
  const rings = [outline, ...holes]
  const y = clearLatitude(rings)
  const crossings: { x: number; ring: number }[] = []
  for (const [index, ring] of rings.entries())
    forEachCrossing(ring, y, (x) => crossings.push({ x, ring: index }))
  crossings.sort((one, other) => one.x - other.x)
  const entered = new Set<number>()
  let longest = 0
  let middle: number | undefined
  for (const [index, { x, ring }] of crossings.entries()) {
    if (!entered.delete(ring)) entered.add(ring)
    const isInside = entered.size === 1 && entered.has(0)
    const length = (crossings[index + 1]?.x ?? x) - x
    if (!isInside || length <= longest) continue
    longest = length
    middle = x + length / 2
  }
  return middle === undefined ? (outline[0] ?? [0, 0]) : [middle, y]
}

/** Whether a point that is not on the border is inside, by the even-odd rule. */
export function surrounds(ring: Ring, [x, y]: Point): boolean {
  let isInside = false
  forEachCrossing(ring, y, (crossing) => {
    if (crossing < x) isInside = !isInside
  })
  return isInside
}

function forEachCrossing(ring: Ring, y: number, visit: (x: number) => void): void {
  forEachEdge(ring, (x1, y1, x2, y2) => {
    if (y1 < y !== y2 < y) visit(x1 + ((y - y1) / (y2 - y1)) * (x2 - x1))
  })
}

/**
 * The middle of the widest band between latitudes of corners, in the middle half of the part: a line along an
 * edge would give a point on the border.
 */
function clearLatitude(rings: readonly Ring[]): number {
  const { south, north } = boundsOf(rings)
  const lowest = south + (north - south) / 4
  const highest = north - (north - south) / 4
  const latitudes = [highest]
  for (const ring of rings) {
    for (const [, y] of ring) if (y > lowest && y < highest) latitudes.push(y)
  }
  let [below, widest, middle] = [lowest, 0, lowest]
  for (const above of Float64Array.from(latitudes).sort()) {
    if (above - below > widest) {
      widest = above - below
      middle = (above + below) / 2
    }
    below = above
  }
  return middle
}

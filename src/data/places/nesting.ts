/** Finds the holes among the rings of a shape, of which there may be 33,000. */
import { pointInPart, surrounds } from "./inside.ts"
import {
  type Bounds,
  boundsOf,
  isIn,
  type Point,
  type Ring,
  type ShapePart,
  signedArea,
} from "./shape.ts"

interface SizedRing {
  ring: Ring
  area: number
  inside: Point
  bounds: Bounds
  /** None for a hole. */
  holes: Ring[] | null
}

/** A ring can only be inside a larger one. The smallest ring around it decides whether it is a hole. */
export function partsOf(rings: readonly Ring[]): ShapePart[] {
  const sized = rings.map(
    (ring): SizedRing => ({
      ring,
      area: Math.abs(signedArea(ring)),
      inside: pointInPart({ outline: ring, holes: [] }),
      bounds: boundsOf([ring]),
      holes: [],
    }),
  )
  const group = groupOf(sized, 0)
  sized.sort((one, other) => other.area - one.area)
  for (const inner of sized) {
    const around = smallestAround(inner, group)
    if (!around?.holes) continue
    around.holes.push(inner.ring)
    inner.holes = null
  }
  return sized.flatMap(({ ring, holes }) => (holes ? { outline: ring, holes } : []))
}

/** Rings near each other with the bounds of all, so that a point is compared with few rings. */
interface Group {
  bounds: Bounds
  rings: readonly SizedRing[]
  halves: readonly Group[]
}

const maxRings = 8

/** @param axis of the line that divides the rings: 0 by longitude, 1 by latitude */
function groupOf(rings: readonly SizedRing[], axis: 0 | 1): Group {
  const bounds = boundsOf(rings.map(({ ring }) => ring))
  if (rings.length <= maxRings) return { bounds, rings, halves: [] }
  const sorted = rings.toSorted((one, other) => one.inside[axis] - other.inside[axis])
  const middle = rings.length / 2
  const halves = [sorted.slice(0, middle), sorted.slice(middle)]
  return { bounds, rings: [], halves: halves.map((half) => groupOf(half, axis === 0 ? 1 : 0)) }
}

/** @param least the smallest ring found so far */
function smallestAround(
  inner: SizedRing,
  group: Group,
  least: SizedRing | undefined = undefined,
): SizedRing | undefined {
  if (!isIn(inner.inside, group.bounds)) return least
  const isSmaller = ({ ring, area, bounds }: SizedRing, than: SizedRing | undefined) =>
    area > inner.area &&
    (!than || area < than.area) &&
    isIn(inner.inside, bounds) &&
    surrounds(ring, inner.inside)
  const here = group.rings.reduce((found, ring) => (isSmaller(ring, found) ? ring : found), least)
  return group.halves.reduce((found, half) => smallestAround(inner, half, found), here)
}

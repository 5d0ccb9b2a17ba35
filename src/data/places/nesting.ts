/** Finds the holes among the rings of a shape. */
import { pointInPart, surrounds } from "./inside.ts"
import { type Bounds, boundsOf, isIn, type Ring, type ShapePart, signedArea } from "./shape.ts"

interface SizedRing {
  ring: Ring
  area: number
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
      bounds: boundsOf([ring]),
      holes: [],
    }),
  )
  sized.sort((one, other) => other.area - one.area)
  for (const [index, inner] of sized.entries()) {
    const inside = pointInPart({ outline: inner.ring, holes: [] })
    const around = sized
      .slice(0, index)
      .findLast(
        ({ ring, area, bounds }) =>
          area > inner.area && isIn(inside, bounds) && surrounds(ring, inside),
      )
    if (!around?.holes) continue
    around.holes.push(inner.ring)
    inner.holes = null
  }
  return sized.flatMap(({ ring, holes }) => (holes ? { outline: ring, holes } : []))
}

/** Makes shapes of the rings of a file. Leaves out invalid rings, with a reason. */
import { partsOf } from "./nesting.ts"
import {
  canonicalShape,
  isIn,
  type Point,
  placesWithin,
  type Ring,
  ringOf,
  type Shape,
  type ShapePart,
} from "./shape.ts"

/** Converts coordinates of a file to longitude and latitude in degrees. */
export type ToDegrees = (x: number, y: number) => readonly [longitude: number, latitude: number]

export interface ShapeRead {
  /** Null if the row has no shape, or none of its rings is an outline. */
  shape: Shape | null
  /** A few different texts, as ends of "left out: …", one for each ring or shape that was left out. */
  leftOut: readonly string[]
}

export const noShape: ShapeRead = { shape: null, leftOut: [] }

/** A shape that is left out as a whole. */
export function leftOut(reason: string): ShapeRead {
  return { shape: null, leftOut: [reason] }
}

export const maxPoints = 100_000
/** Each ring is compared with each larger one. Real shapes have fewer than a hundred. */
const maxRings = 2000
export const otherType = leftOut("a geometry other than a polygon")
export const tooLarge = leftOut("a shape of more than 100,000 points")
const malformed = leftOut("a shape whose coordinates are not lists of numbers")

/**
 * Reads polygons. The first ring of each is the outline, and the others are holes.
 * @param polygons unchecked coordinates, as of a GeoJSON MultiPolygon
 */
export function readPolygons(polygons: unknown, toDegrees: ToDegrees): ShapeRead {
  if (!arePolygons(polygons)) return malformed
  const fault = faultOfSize(polygons.flat())
  if (fault) return fault
  const reasons: string[] = []
  const parts = polygons.flatMap((polygon): ShapePart[] => {
    const [outline, ...holes] = polygon.map((ring) => readRing(ring, toDegrees, reasons))
    return outline ? [{ outline, holes: holes.filter((hole) => hole !== null) }] : []
  })
  return shapeRead(parts, reasons)
}

/**
 * Reads rings of a file that does not state which are outlines or holes. A ring inside an odd number of
 * other rings is a hole. The direction is no evidence: published files have parts in that of holes.
 * @param rings unchecked, as of ArcGIS JSON
 */
export function readUnorderedRings(rings: unknown, toDegrees: ToDegrees): ShapeRead {
  if (!areRings(rings)) return malformed
  const fault = faultOfSize(rings)
  if (fault) return fault
  const reasons: string[] = []
  const read = rings.map((ring) => readRing(ring, toDegrees, reasons))
  return shapeRead(partsOf(read.filter((ring) => ring !== null)), reasons)
}

const shapeRead = (parts: readonly ShapePart[], leftOut: readonly string[]): ShapeRead => ({
  shape: parts.length === 0 ? null : canonicalShape(parts),
  leftOut,
})

/** Whether these are lists of positions, which `readPosition` checks. */
const areRings = (value: unknown): value is unknown[][] =>
  Array.isArray(value) && value.every(Array.isArray)

const arePolygons = (value: unknown): value is unknown[][][] =>
  Array.isArray(value) && value.every(areRings)

function faultOfSize(rings: readonly (readonly unknown[])[]): ShapeRead | null {
  const points = rings.reduce((sum, ring) => sum + ring.length, 0)
  if (points === 0) return leftOut("an empty shape")
  if (points > maxPoints) return tooLarge
  return rings.length > maxRings ? leftOut("a shape of more than 2,000 rings") : null
}

/** Null for a ring that is left out. */
function readRing(
  positions: readonly unknown[],
  toDegrees: ToDegrees,
  reasons: string[],
): Ring | null {
  const points: Point[] = []
  for (const position of positions) {
    const point = readPosition(position, toDegrees)
    if (typeof point === "string") {
      reasons.push(point)
      return null
    }
    points.push(point)
  }
  const ring = ringOf(points)
  if (!ring) reasons.push("a ring of fewer than three different points")
  return ring
}

/** A point, or the reason to leave out its ring. */
function readPosition(position: unknown, toDegrees: ToDegrees): Point | string {
  const [x, y]: unknown[] = Array.isArray(position) ? position : []
  if (typeof x !== "number" || typeof y !== "number" || !Number.isFinite(x + y))
    return "a ring with a coordinate that is not a number"
  const [longitude, latitude] = toDegrees(x, y)
  // Adding 0 makes 0 of -0.
  const point: Point = [Math.round(longitude * 1e6) + 0, Math.round(latitude * 1e6) + 0]
  if (isIn(point, placesWithin)) return point
  const outside = "a ring outside of 90 to 180 degrees east and 60 to 0 degrees south"
  if (isIn([point[1], point[0]], placesWithin))
    return `${outside} (are latitude and longitude swapped?)`
  const isInDegrees = Math.abs(longitude) <= 360 && Math.abs(latitude) <= 90
  return isInDegrees
    ? outside
    : `${outside} (are its coordinates in metres, or in another reference system?)`
}

/**
 * The area within a distance of a shape. Clipper, which computes it, needs a plane: an azimuthal equidistant
 * projection around the middle of the shape, in whole millimetres. It lengthens distances by at most 0.15% at
 * 600 km from there. Each step below adds at most 0.06%, so that the whole is right to 0.3%.
 */
import {
  area,
  EndType,
  FillRule,
  getBoundsPaths,
  inflatePaths,
  intersect,
  JoinType,
  type Paths64,
  ramerDouglasPeucker,
} from "clipper2-ts"
import proj4 from "proj4"
import { type Area, areaOfRings, circleAround, cornersAt, earthRadiusKm } from "./area.ts"
import { pointInside } from "./inside.ts"
import { boundsOf, type Point, type Ring, type Shape, signedArea } from "./shape.ts"

interface Place {
  x: number
  y: number
}

const mmPerKm = 1_000_000

/** Limits the time to about a second. Of 7,906 shapes of registers the largest has 2,600 corners. */
const mostCorners = 4_000

/** PostgreSQL compares each edge of a shape with each edge of a piece of the area that it can reach. */
const mostCornersOfPiece = 500

/** An area as the search compares it, in pieces, and as a map draws it: outlines and holes in microdegrees. */
interface AreaAround {
  area: Area
  rings: readonly Ring[]
}

/** Null for a shape with too many corners, of those that matter at this distance, and where Clipper fails. */
export function areaAround(shape: Shape, km: number): AreaAround | null {
  const rings = shape.flatMap(({ outline, holes }) => [outline, ...holes])
  const { west, south, east, north } = boundsOf(rings)
  const plane = `+proj=aeqd +lat_0=${(south + north) / 2e6} +lon_0=${(west + east) / 2e6} +R=${earthRadiusKm * 1000} +to_meter=0.001`
  const { forward, inverse } = proj4(`+proj=longlat +R=${earthRadiusKm * 1000}`, plane)
  const placeOf = ([longitude, latitude]: Point): Place => {
    const [x, y] = forward<[number, number]>([longitude / 1e6, latitude / 1e6])
    return { x: Math.round(x), y: Math.round(y) }
  }
  const pointOf = ({ x, y }: Place): Point => {
    const [longitude, latitude] = inverse<[number, number]>([x, y])
    return [longitude * 1e6, latitude * 1e6]
  }

  const distance = km * mmPerKm
  const simple = rings.map((ring) => {
    const path = inPieces(ring, km).map(placeOf)
    const fewer = ramerDouglasPeucker(withoutNotches(path, 0.05 * distance), 0.0004 * distance)
    // A ring that is thin or small beside the distance can lose its area, or its direction.
    return area(fewer) / area(path) > 0.5 ? fewer : path
  })
  if (simple.flat().length > mostCorners) return null
  const reach = cornersAt(distance)
  const corner = 2 * (reach - distance)
  const found = inflatePaths(simple, reach, JoinType.Round, EndType.Polygon, 2, corner)
  // Clipper finds nothing for one of 16,000 real areas.
  if (found.length === 0) return null
  const [longitude, latitude] = pointInside(shape)
  const ringsOf = (paths: Paths64): Ring[] => paths.map((path) => path.map(pointOf))
  const around = ringsOf(found)
  const cut = piecesOf(found)
  const pieces = cut === found ? around : ringsOf(cut)
  const searched = areaOfRings(
    pieces.filter((ring) => signedArea(ring) > 0),
    pieces.filter((ring) => signedArea(ring) < 0),
    circleAround(latitude / 1e6, longitude / 1e6, km).innerBox,
  )
  return { area: searched, rings: around }
}

const rectangle = (left: number, top: number, right: number, bottom: number): Place[] => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
]

/** Halves an area until no ring has too many corners. A hole in both halves becomes a part of their outlines. */
function piecesOf(paths: Paths64): Paths64 {
  if (paths.every((path) => path.length <= mostCornersOfPiece)) return paths
  const { left, top, right, bottom } = getBoundsPaths(paths)
  const [x, y] = [Math.round((left + right) / 2), Math.round((top + bottom) / 2)]
  const halves =
    right - left > bottom - top
      ? [rectangle(left, top, x, bottom), rectangle(x, top, right, bottom)]
      : [rectangle(left, top, right, y), rectangle(left, y, right, bottom)]
  return halves.flatMap((half) => piecesOf(intersect(paths, [half], FillRule.NonZero)))
}

/**
 * Edges of shapes are straight in degrees, and a parallel is not straight in the plane. A piece of this length
 * strays by less than 0.05% of the distance, or by less than a microdegree.
 */
function inPieces(ring: Ring, km: number): Ring {
  const longest = (Math.max(0.5, 5 * Math.sqrt(km)) / 111.2) * 1e6
  return ring.flatMap(([x, y], index): Point[] => {
    const [toX, toY] = ring[(index + 1) % ring.length] ?? [x, y]
    const count = Math.max(1, Math.ceil(Math.hypot(toX - x, toY - y) / longest))
    return Array.from({ length: count }, (_, piece): Point => {
      const share = piece / count
      return [x + share * (toX - x), y + share * (toY - y)]
    })
  })
}

/**
 * Removes the inner corners of notches whose mouth is at most this wide, since each corner costs time. At 0.05 of
 * the distance, the area grows by 0.03% of the distance.
 * @param ring with the ground on its left
 */
function withoutNotches(ring: readonly Place[], widest: number): Place[] {
  const kept: Place[] = []
  for (const place of ring) {
    while (isNotch(kept.at(-2), kept.at(-1), place, widest)) kept.pop()
    kept.push(place)
  }
  return kept
}

/**
 * Whether the way turns right at its middle place, by a centimetre or more: less can be a rounded spike, whose ends
 * are on one line.
 */
function isNotch(from: Place | undefined, middle: Place | undefined, to: Place, widest: number) {
  if (!from || !middle) return false
  const [x, y] = [middle.x - from.x, middle.y - from.y]
  const right = (x * (from.y - to.y) + y * (to.x - from.x)) / Math.hypot(x, y)
  return right >= 10 && Math.hypot(to.x - from.x, to.y - from.y) <= widest
}

/**
 * Points inside of shapes and rings. Shapes of blocks have many equal parts, rows and columns. Of nearly equal
 * ones the nearest to the middle is chosen, so that the point stays where corners move by a metre.
 */
import {
  type Bounds,
  boundsOf,
  forEachEdge,
  type Point,
  type Ring,
  type Shape,
  type ShapePart,
  signedArea,
} from "./shape.ts"

/** Parts that differ by less are equally large. */
const largePart = 0.999
/** Rows of blocks, and blocks of a row, may differ by more: the middle matters more than the size. */
const longPiece = 0.45

/**
 * A point inside the largest part: the middle of a long inner piece of a horizontal line near the middle of the
 * part. It is the first corner of a part that has no inside.
 */
export function pointInside(shape: Shape): Point {
  const [middleX, middleY] = nearMiddle(boundsOf(shape.map(({ outline }) => outline)))
  const largest = nearestOfLarge(shape, largePart, areaOf, ({ outline }) => {
    const [x, y] = nearMiddle(boundsOf([outline]))
    return Math.hypot(x - middleX, y - middleY)
  })
  const [x, y] = largest ? pointInPart(largest) : [0, 0]
  return [Math.round(x), Math.round(y)]
}

/** Holes run clockwise, so their areas are negative. Faulty ones may be larger than the outline. */
const areaOf = ({ outline, holes }: ShapePart): number =>
  Math.max(
    [outline, ...holes].reduce((sum, ring) => sum + signedArea(ring), 0),
    0,
  )

/** Not the middle itself, which often lies between two equal blocks. */
const nearMiddle = ({ west, south, east, north }: Bounds): Point => [
  west + 0.47 * (east - west),
  south + 0.47 * (north - south),
]

/** Of the items that have at least this share of the largest size, the one of the least distance. */
function nearestOfLarge<Item>(
  items: readonly Item[],
  share: number,
  sizeOf: (item: Item) => number,
  distanceOf: (item: Item) => number,
): Item | undefined {
  const sized = items.map((item) => ({ item, size: sizeOf(item), distance: distanceOf(item) }))
  const largest = sized.reduce((most, { size }) => Math.max(most, size), 0)
  return sized
    .filter(({ size }) => size >= share * largest)
    .sort((one, other) => one.distance - other.distance)[0]?.item
}

/** With fractions of a microdegree. */
export function pointInPart({ outline, holes }: ShapePart): Point {
  const rings = [outline, ...holes]
  const bounds = boundsOf([outline])
  const [middleX, middleY] = nearMiddle(bounds)
  const y = middleOfLong(clearBands(rings, bounds), middleY)
  const x = y === undefined ? y : middleOfLong(innerPieces(rings, y), middleX)
  return x === undefined || y === undefined ? (outline[0] ?? [0, 0]) : [x, y]
}

interface Piece {
  from: number
  to: number
}

const middleOf = ({ from, to }: Piece): number => (from + to) / 2

/** The middle of a long piece near a place; undefined where no piece has a length. */
function middleOfLong(pieces: readonly Piece[], place: number): number | undefined {
  const piece = nearestOfLarge(
    pieces.filter(({ from, to }) => to > from),
    longPiece,
    ({ from, to }) => to - from,
    (piece) => Math.abs(middleOf(piece) - place),
  )
  return piece && middleOf(piece)
}

/**
 * The bands between latitudes of corners in the middle half of the part: a line along an edge would give a
 * point on the border.
 */
function clearBands(rings: readonly Ring[], { south, north }: Bounds): Piece[] {
  const lowest = south + (north - south) / 4
  const highest = north - (north - south) / 4
  const latitudes = [lowest, highest]
  for (const ring of rings) {
    for (const [, y] of ring) if (y > lowest && y < highest) latitudes.push(y)
  }
  return piecesBetween(Array.from(Float64Array.from(latitudes).sort()))
}

const piecesBetween = (places: readonly number[]): Piece[] =>
  places.slice(1).map((to, index) => ({ from: places[index] ?? to, to }))

/** Of a horizontal line: inside of the outline, the first ring, and of no other. */
function innerPieces(rings: readonly Ring[], y: number): Piece[] {
  const crossings: { x: number; ring: number }[] = []
  for (const [index, ring] of rings.entries())
    forEachCrossing(ring, y, (x) => crossings.push({ x, ring: index }))
  crossings.sort((one, other) => one.x - other.x)
  const entered = new Set<number>()
  return piecesBetween(crossings.map(({ x }) => x)).filter((_, index) => {
    const ring = crossings[index]?.ring ?? 0
    if (!entered.delete(ring)) entered.add(ring)
    return entered.size === 1 && entered.has(0)
  })
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

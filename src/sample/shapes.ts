/**
 * Shapes of the sample's tenements, which look like those of registers: blocks of whole minutes, strips along
 * roads and pipelines, and leases of a few corners that share them with their neighbours.
 */

import type { State } from "../data/db/schema.ts"
import { Random } from "./random.ts"
import type { TenementRecord } from "./records.ts"

/** In minutes of longitude and latitude. */
type Place = readonly [x: number, y: number]
type Polygon = Place[][]

/** A box on the land of each state, in degrees. */
const extents: Readonly<
  Record<State, { west: number; south: number; east: number; north: number }>
> = {
  WA: { west: 116, south: -33, east: 128, north: -17 },
  QLD: { west: 139, south: -27, east: 149, north: -17 },
  NSW: { west: 142, south: -35, east: 150, north: -29.5 },
  SA: { west: 130, south: -32, east: 140, north: -26.5 },
  NT: { west: 130, south: -25, east: 137, north: -13 },
  VIC: { west: 142, south: -38, east: 147, north: -36.5 },
  TAS: { west: 145.5, south: -43, east: 147.5, north: -41.5 },
}

/**
 * A GeoJSON geometry as text, or null, as registers lack a few. It depends only on the tenement, so that it
 * changes no other value of the sample.
 */
export function makeGeometry({ id, state, type }: TenementRecord): string | null {
  const random = new Random(Bun.hash.crc32(id))
  if (random.chance(0.02)) return null
  const [, district = 0, number = 0] = (/(\d\d)-(\d+)$/.exec(id) ?? []).map(Number)
  const { west, south, east, north } = extents[state]
  // Districts are ten in a row, and eight rows.
  const origin: Place = [
    Math.floor((west + ((east - west) * (district % 10)) / 10) * 60),
    Math.floor((south + ((north - south) * (Math.floor(district / 10) % 8)) / 8) * 60),
  ]
  const polygons =
    type === "exploration" || type === "retention"
      ? makeBlocks(random, origin, number)
      : [type === "miscellaneous" ? makeStrip(random, origin) : makeLease(origin, number)]
  const coordinates = polygons.map((polygon) => polygon.map(closedRing))
  return JSON.stringify(
    coordinates.length === 1
      ? { type: "Polygon", coordinates: coordinates[0] }
      : { type: "MultiPolygon", coordinates },
  )
}

/** The tenements with the column that the loader reads shapes from. */
export function* withGeometry(tenements: Iterable<TenementRecord>) {
  for (const tenement of tenements) yield { ...tenement, geometry: makeGeometry(tenement) }
}

const closedRing = (ring: Place[]) =>
  [...ring, ...ring.slice(0, 1)].map((place) =>
    place.map((minutes) => Math.round((minutes * 1e6) / 60) / 1e6),
  )

/** In cells of six by five minutes: those that fill their cell share borders. A few have a hole or two parts. */
function makeBlocks(random: Random, [x, y]: Place, number: number): Polygon[] {
  const [west, south] = [x + (number % 8) * 6, y + (Math.floor(number / 8) % 9) * 5]
  const [width, height] = [4 + random.below(3), 4 + random.below(2)]
  const [notchWidth, notchHeight] = [1 + random.below(2), 1 + random.below(2)]
  const outline: Place[] = [
    [0, 0],
    [width, 0],
    [width, height - notchHeight],
    [width - notchWidth, height - notchHeight],
    [width - notchWidth, height],
    [0, height],
  ]
  const at = (ring: Place[]) =>
    eachMinute(ring).map(([right, up]): Place => [west + right, south + up])
  const main = random.chance(0.05) ? [at(outline), at(block(1, 1))] : [at(outline)]
  return random.chance(0.15) ? [main, [at(block(width - notchWidth + 1, height))]] : [main]
}

const block = (x: number, y: number): Place[] => [
  [x, y],
  [x + 1, y],
  [x + 1, y + 1],
  [x, y + 1],
]

/** With a corner at each whole minute, as registers write blocks. */
const eachMinute = (ring: Place[]): Place[] =>
  ring.flatMap(([x, y], index) => {
    const [nextX, nextY] = ring[(index + 1) % ring.length] ?? [x, y]
    const steps = Math.max(Math.abs(nextX - x), Math.abs(nextY - y))
    return Array.from(
      { length: steps },
      (_, step): Place => [x + ((nextX - x) / steps) * step, y + ((nextY - y) / steps) * step],
    )
  })

/** About 90 m wide and up to 30 km long, from west to east. */
function makeStrip(random: Random, [x, y]: Place): Polygon {
  let place: Place = [x + random.fraction() * 40, y + random.fraction() * 40]
  const along = Array.from({ length: 3 + random.below(12) }, () => {
    place = [place[0] + 0.2 + random.fraction(), place[1] + random.fraction() - 0.5]
    return place
  })
  return [[...along, ...along.map(([x, y]): Place => [x, y + 0.05]).reverse()]]
}

/** Between four corners of a turned and irregular grid of about 500 m, which neighbours have too. */
function makeLease([x, y]: Place, number: number): Polygon {
  const [column, row] = [number % 50, Math.floor(number / 50)]
  const corner = (right: number, up: number): Place => {
    const [along, across] = [(column + right) * 0.3, ((row + up) % 50) * 0.3]
    const random = new Random(Bun.hash.crc32(`${x} ${y} ${along} ${across}`))
    const [shiftX, shiftY] = [random.fraction() * 0.1, random.fraction() * 0.1]
    return [x + 12 + along * 0.8 - across * 0.6 + shiftX, y + along * 0.6 + across * 0.8 + shiftY]
  }
  return [[corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)]]
}

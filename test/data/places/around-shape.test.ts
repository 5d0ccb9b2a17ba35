/** The area around a shape has the places within its distance, to 0.3%, as seen from the shape's border. */
import { expect, test } from "bun:test"
import { areaAround } from "../../../src/data/places/around-shape.ts"
import type { Point, Ring, Shape } from "../../../src/data/places/shape.ts"
import { canonicalShape } from "../../../src/data/places/shape.ts"
import { seeded } from "../../../src/sample/random.ts"

const radiusKm = 6371.0088
const random = seeded(47)
const between = (from: number, to: number): number => from + random() * (to - from)
const edgesOf = (ring: Ring): [Point, Point][] =>
  ring.map((point, index) => [ring.at(index - 1) ?? point, point])
const ringsOf = (text: string): Ring[] =>
  [...text.matchAll(/"\((.*?)\)"/g)].map(([, points = ""]) =>
    [...points.matchAll(/\(([^,]+),([^)]+)\)/g)].map(([, x, y]): Point => [Number(x), Number(y)]),
  )

/** A star around a place, whose corners have growing angles. */
function star([x, y]: Point, size: number, corners: number): Ring {
  return Array.from({ length: corners }, (_, index): Point => {
    const angle = ((index + between(0.1, 0.9)) / corners) * 2 * Math.PI
    const distance = size * between(0.4, 1)
    return [Math.round(x + distance * Math.cos(angle)), Math.round(y + distance * Math.sin(angle))]
  })
}

/** In km from an edge, which is straight in degrees: on a plane that touches the sphere at the place. */
function kmFromEdge([px, py]: Point, [[ax, ay], [bx, by]]: readonly [Point, Point]): number {
  const radians = (microdegrees: number) => (microdegrees / 180e6) * Math.PI
  const flat = (x: number, y: number): Point => {
    const [east, north, from] = [radians(x - px), radians(y), radians(py)]
    const cosine =
      Math.sin(from) * Math.sin(north) + Math.cos(from) * Math.cos(north) * Math.cos(east)
    const across = Math.cos(north) * Math.sin(east)
    const along =
      Math.cos(from) * Math.sin(north) - Math.sin(from) * Math.cos(north) * Math.cos(east)
    const distance = Math.atan2(Math.hypot(across, along), cosine)
    const scale = (radiusKm * distance) / (Math.hypot(across, along) || 1)
    return [across * scale, along * scale]
  }
  const pieces = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) / 5_000))
  const corners = Array.from({ length: pieces + 1 }, (_, piece) =>
    flat(ax + ((bx - ax) * piece) / pieces, ay + ((by - ay) * piece) / pieces),
  )
  return Math.min(
    ...corners.slice(1).map(([x, y], index) => {
      const [fromX, fromY] = corners[index] ?? [x, y]
      const [dx, dy] = [x - fromX, y - fromY]
      const share = -(fromX * dx + fromY * dy) / (dx * dx + dy * dy || 1)
      const nearest = Math.min(1, Math.max(0, share))
      return Math.hypot(fromX + nearest * dx, fromY + nearest * dy)
    }),
  )
}

const isInside = ([x, y]: Point, rings: readonly Ring[]): boolean =>
  rings
    .flatMap(edgesOf)
    .filter(
      ([[ax, ay], [bx, by]]) => ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax),
    ).length %
    2 ===
  1

function drawShape(): Shape {
  const middle: Point = [between(115e6, 150e6), between(-43e6, -12e6)]
  const size = 10 ** between(3.5, 5.5)
  const hole = random() < 0.5 ? [star(middle, size * 0.35, 7)] : []
  const other: Point = [middle[0] + 2.5 * size, middle[1]]
  return canonicalShape([
    { outline: star(middle, size, 12).map((point) => point), holes: hole },
    { outline: star(other, size, 9), holes: [] },
  ])
}

test("A place is in the area exactly if it is within the distance of the shape, to 0.3%", () => {
  let [inside, outside, holes] = [0, 0, 0]
  for (let turn = 0; turn < 60; turn++) {
    const shape = drawShape()
    const rings = shape.flatMap((part) => [part.outline, ...part.holes])
    const [[x = 0, y = 0] = []] = rings[0] ? [rings[0][0] ?? []] : [[]]
    const km = Number((10 ** between(-1, 2.3)).toPrecision(3))
    const area = areaAround(shape, km)?.area
    const found = ringsOf(`${area?.outlines}${area?.holes}`)
    holes += ringsOf(area?.holes ?? "").length
    for (let place = 0; place < 40; place++) {
      const reach = 1.5 * km * 9_000
      const corner = rings.flat()[Math.floor(random() * rings.flat().length)] ?? [x, y]
      const point: Point = [corner[0] + between(-reach, reach), corner[1] + between(-reach, reach)]
      const away = isInside(point, rings)
        ? 0
        : Math.min(...rings.flatMap(edgesOf).map((edge) => kmFromEdge(point, edge)))
      if (Math.abs(away / km - 1) < 0.003) continue
      expect([turn, km, away, isInside(point, found)]).toEqual([turn, km, away, away < km])
      if (away < km) inside++
      else outside++
    }
  }
  expect([inside > 1_000, outside > 300, holes > 3]).toEqual([true, true, true])
})

test("A spike without a width is a part of the shape, and a shape with too many corners has no area", () => {
  const spike: Ring = [
    [115_959_000, -31_627_000],
    [115_957_000, -31_628_000],
    [115_959_114, -31_627_628],
    [115_959_257, -31_627_628],
    [115_959_110, -31_627_628],
  ]
  const area = areaAround(canonicalShape([{ outline: spike, holes: [] }]), 0.016)?.area
  expect(isInside([115_959_357, -31_627_628], ringsOf(area?.outlines ?? ""))).toBe(true)
  const jagged = star([130e6, -25e6], 900_000, 5_000)
  expect(areaAround(canonicalShape([{ outline: jagged, holes: [] }]), 0.1)).toBeNull()
})

test("An area of many corners is searched in pieces, which together have the same places", () => {
  const [middle, size] = [[130e6, -25e6] as Point, 20_000]
  const shape = canonicalShape([
    { outline: star(middle, size, 1_000), holes: [star(middle, size * 0.3, 100)] },
  ])
  const found = areaAround(shape, 0.01)
  const pieces = ringsOf(`${found?.area.outlines}${found?.area.holes}`)
  expect(Math.max(...(found?.rings ?? []).map(({ length }) => length))).toBeGreaterThan(1_000)
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(500)
  const counts = { true: 0, false: 0 }
  for (let place = 0; place < 300; place++) {
    const point: Point = [
      middle[0] + between(-1.1 * size, 1.1 * size),
      middle[1] + between(-1.1 * size, 1.1 * size),
    ]
    const isIn = isInside(point, found?.rings ?? [])
    expect([point, isInside(point, pieces)]).toEqual([point, isIn])
    counts[`${isIn}`]++
  }
  expect(Math.min(counts.true, counts.false)).toBeGreaterThan(40)
})

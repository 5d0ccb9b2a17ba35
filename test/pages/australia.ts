/**
 * Makes `src/pages/assets/australia.json` of the coast in `world-atlas` (Natural Earth, public domain):
 * `bun test/pages/australia.ts > src/pages/assets/australia.json`. A place is its latitude and longitude.
 */

type Place = readonly [latitude: number, longitude: number]
type Steps = readonly (readonly [x: number, y: number])[]

/** https://github.com/topojson/topojson-specification */
interface Topology {
  transform: { scale: [number, number]; translate: [number, number] }
  arcs: Steps[]
  objects: {
    countries: { geometries: { properties: { name: string }; arcs: number[][][] }[] }
  }
}

/** The borders of states that are meridians and parallels, from west to east. */
const meridians = [
  { longitude: 129, north: -10, south: -40 },
  { longitude: 138, north: -10, south: -26 },
  { longitude: 141, north: -26, south: -40 },
]
const parallels = [
  { latitude: -26, west: 129, east: 141 },
  { latitude: -29, west: 141, east: 149 },
]

const file = Bun.fileURLToPath(import.meta.resolve("world-atlas/countries-50m.json"))

/** The outlines of the mainland and of its islands, and the straight borders. */
export async function australia() {
  const { transform, arcs, objects }: Topology = await Bun.file(file).json()
  const [[scaleX, scaleY], [x0, y0]] = [transform.scale, transform.translate]
  const arcOf = (index: number): Place[] => {
    let [x, y] = [0, 0]
    const places = (arcs[index < 0 ? ~index : index] ?? []).map(([dx, dy]): Place => {
      ;[x, y] = [x + dx, y + dy]
      return [rounded(y * scaleY + y0), rounded(x * scaleX + x0)]
    })
    return index < 0 ? places.reverse() : places
  }
  const country = objects.countries.geometries.find(
    ({ properties: { name } }) => name === "Australia",
  )
  const outlines = (country?.arcs ?? []).map(([outline = []]) => outline.flatMap(arcOf))
  // Macquarie Island is far to the south-east.
  const coast = outlines.filter((outline) => outline.every(([, longitude]) => longitude < 155))
  const mainland = coast.toSorted((one, other) => other.length - one.length)[0] ?? []
  const borders: Place[][] = [
    ...meridians.map(({ longitude, north, south }) => {
      const shores = crossings(mainland, longitude)
      const top = Math.min(north, Math.max(...shores))
      const bottom = Math.max(south, Math.min(...shores))
      return [
        [top, longitude],
        [bottom, longitude],
      ] satisfies Place[]
    }),
    ...parallels.map(({ latitude, west, east }): Place[] => [
      [latitude, west],
      [latitude, east],
    ]),
  ]
  return { coast, borders }
}

/** To about a kilometre, as the coast is. */
const rounded = (degrees: number): number => Math.round(degrees * 100) / 100

/** The latitudes at which an outline crosses a meridian. */
const crossings = (outline: readonly Place[], meridian: number): number[] =>
  outline.flatMap(([latitude, longitude], index) => {
    const [nextLatitude, nextLongitude] = outline[(index + 1) % outline.length] ?? [0, 0]
    if (longitude < meridian === nextLongitude < meridian) return []
    const share = (meridian - longitude) / (nextLongitude - longitude)
    return [rounded(latitude + share * (nextLatitude - latitude))]
  })

if (import.meta.main) await Bun.write(Bun.stdout, JSON.stringify(await australia()))

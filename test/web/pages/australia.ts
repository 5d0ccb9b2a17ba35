/**
 * Makes `src/web/pages/assets/australia.json` of the coast in `world-atlas` (Natural Earth, public domain):
 * `bun test/web/pages/australia.ts > src/web/pages/assets/australia.json`. A place is its latitude and longitude.
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

/** The borders that are meridians and parallels, from west to east. */
const meridians = [
  { longitude: 129, north: -10, south: -40 },
  { longitude: 138, north: -10, south: -26 },
  { longitude: 141, north: -26, south: -40 },
]
const parallels = [{ latitude: -26, west: 129, east: 141 }]

/**
 * The borders of New South Wales, approximate: some 50 places, mostly within a few kilometres of them. Rivers,
 * such as the Murray, are straight between places.
 */
const surveyed: readonly (readonly Place[])[] = [
  // With Victoria, from Cape Howe along the Murray.
  [
    [-37.51, 149.97],
    [-36.79, 148.12],
    [-36.63, 148.22],
    [-36.41, 148.07],
    [-36.06, 148],
    [-36, 147.91],
    [-35.94, 147.48],
    [-36.08, 147.34],
    [-36.04, 147.13],
    [-36.09, 147],
    [-35.98, 146.51],
    [-36.06, 146.21],
    [-35.98, 145.78],
    [-35.83, 145.49],
    [-35.87, 145.01],
    [-36.1, 144.98],
    [-36.13, 144.74],
    [-35.59, 144.1],
    [-35.36, 143.6],
    [-35.25, 143.58],
    [-35.15, 143.38],
    [-34.78, 143.33],
    [-34.68, 142.88],
    [-34.58, 142.79],
    [-34.79, 142.64],
    [-34.76, 142.54],
    [-34.53, 142.39],
    [-34.36, 142.41],
    [-34.11, 142.05],
    [-34.11, 141.71],
    [-34.22, 141.54],
    [-34.02, 141],
  ],
  // With Queensland, from the parallel along rivers and ranges to Point Danger.
  [
    [-29, 141],
    [-29, 148.97],
    [-28.58, 149.48],
    [-28.63, 149.71],
    [-28.53, 150.3],
    [-28.65, 150.45],
    [-28.63, 150.79],
    [-28.73, 151.05],
    [-28.83, 151.06],
    [-28.92, 151.29],
    [-29.17, 151.37],
    [-28.95, 151.56],
    [-28.89, 151.73],
    [-28.98, 151.82],
    [-28.91, 152],
    [-28.7, 152.07],
    [-28.54, 151.96],
    [-28.26, 152.49],
    [-28.33, 152.57],
    [-28.36, 153.1],
    [-28.15, 153.51],
  ],
]

const file = Bun.fileURLToPath(import.meta.resolve("world-atlas/countries-50m.json"))

/** The outlines of the mainland and of its islands, and the borders of the states. */
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
  const borders: (readonly Place[])[] = [
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
    ...surveyed,
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

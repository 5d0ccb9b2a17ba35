/**
 * `bbox` and `near` select exactly the tenements whose shape has a point in the area, compared with geometry of
 * this file's own.
 */
import { expect, test } from "bun:test"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { wktOf } from "../../src/api/http/delimited.ts"
import { geoParquetMetadata } from "../../src/api/responses/geometries.ts"
import type { Point, Ring } from "../../src/data/places/shape.ts"
import { prune } from "../../src/ingest/loading/prune.ts"
import { seeded } from "../../src/sample/random.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { faultsOf, readList, readRecord, releaseOf } from "./bodies.ts"
import { crawl } from "./crawl.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
const random = seeded(36)
const between = (from: number, to: number): number => from + random() * (to - from)

interface Polygon {
  outline: Ring
  hole: Ring | null
}

/** In microdegrees from 120 degrees east and 30 degrees south, where products are exact. */
const origin: Point = [120e6, -30e6]

/** A star around a place: its corners have growing angles, so it never crosses itself. */
function star([x, y]: Point, size: number, corners: number): Ring {
  return Array.from({ length: corners }, (_, index): Point => {
    const angle = ((index + between(0.1, 0.9)) / corners) * 2 * Math.PI
    const distance = size * between(0.5, 1)
    return [Math.round(x + distance * Math.cos(angle)), Math.round(y + distance * Math.sin(angle))]
  })
}

function drawPolygon(): Polygon {
  const middle: Point = [between(-2e6, 2e6), between(-2e6, 2e6)]
  const size = 10 ** between(3.5, 5.7)
  const outline = star(middle, size, 8 + Math.floor(random() * 8))
  return { outline, hole: random() < 0.3 ? star(middle, size * 0.3, 8) : null }
}

const shapes = new Map(
  Array.from({ length: 400 }, (_, index) => [
    `T${index}`,
    Array.from({ length: random() < 0.2 ? 2 : 1 }, drawPolygon),
  ]),
)

const degrees = ([x, y]: Point): Point => [(x + origin[0]) / 1e6, (y + origin[1]) / 1e6]

/** A file of tenements with these shapes. */
const rowsOf = (...shaped: (readonly [id: string, geometry: string, state?: string])[]) => [
  "id,tenement_id,state,status,geometry",
  ...shaped.map(
    ([id, geometry, state = "WA"]) => `${id},${id},${state},granted,${geometry && `"${geometry}"`}`,
  ),
]

function wkt(polygons: readonly Polygon[]): string {
  const coordinates = polygons.map(({ outline, hole }) =>
    [outline, ...(hole ? [hole] : [])].map((ring) => [...ring, ...ring.slice(0, 1)].map(degrees)),
  )
  return wktOf(JSON.stringify({ type: "MultiPolygon", coordinates }))
}

const cross = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point): number =>
  Math.sign((bx - ax) * (cy - ay) - (by - ay) * (cx - ax))

const edgesOf = (ring: Ring): (readonly [Point, Point])[] =>
  ring.map((point, index) => [ring.at(index - 1) ?? point, point])

const doCross = ([a, b]: readonly [Point, Point], [c, d]: readonly [Point, Point]): boolean =>
  cross(a, b, c) !== cross(a, b, d) && cross(c, d, a) !== cross(c, d, b)

function isInside([x, y]: Point, ring: Ring): boolean {
  const crossed = edgesOf(ring).filter(
    ([[ax, ay], [bx, by]]) => ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax),
  )
  return crossed.length % 2 === 1
}

function bordersCross(one: Ring, other: Ring): boolean {
  const edges = edgesOf(other)
  return edgesOf(one).some((edge) => edges.some((each) => doCross(edge, each)))
}

/** Whether the boxes around them have a point in common: this rules out most pairs at once. */
const boxesMeet = (one: Ring, other: Ring): boolean =>
  ([0, 1] as const).every((axis) => {
    const [ones, others] = [one, other].map((ring) => ring.map((point) => point[axis]))
    return (
      Math.min(...(ones ?? [])) <= Math.max(...(others ?? [])) &&
      Math.min(...(others ?? [])) <= Math.max(...(ones ?? []))
    )
  })

/** An area without holes meets a polygon where borders cross, or where one is inside of the other. */
function meets(area: Ring, { outline, hole }: Polygon): boolean {
  const [corner] = area
  const [start] = outline
  if (!corner || !start || !boxesMeet(area, outline)) return false
  if (bordersCross(area, outline) || isInside(start, area)) return true
  const isInHole = hole !== null && !bordersCross(area, hole) && isInside(corner, hole)
  return isInside(corner, outline) && !isInHole
}

const idsThatMeet = (area: Ring): string[] =>
  [...shapes].flatMap(([id, parts]) => (parts.some((part) => meets(area, part)) ? id : [])).sort()

async function idsOf(query: string): Promise<unknown[]> {
  return (await crawl(service, `/tenements?${query}`, 100)).map(({ id }) => id).sort()
}

const drawn = [...shapes].map(([id, polygons]) => [id, wkt(polygons)] as const)
await load("tenements", { "shapes.csv": rowsOf(...drawn, ["none", ""]) })

test("Random boxes select the tenements that have a point in them", async () => {
  let found = 0
  for (let turn = 0; turn < 150; turn++) {
    const size = 10 ** between(3, 6.3)
    const [west, south] = [Math.round(between(-2e6, 2e6)), Math.round(between(-2e6, 2e6))]
    const [east, north] = [west + Math.round(size), south + Math.round(size * between(0.5, 2))]
    const area: Ring = [
      [west, south],
      [east, south],
      [east, north],
      [west, north],
    ]
    const query = `bbox=${[degrees([west, south]), degrees([east, north])].flat().join()}`
    const expected = idsThatMeet(area)
    expect([query, await idsOf(query)]).toEqual([query, expected])
    found += expected.length
  }
  expect(found).toBeGreaterThan(1_000)
})

const kmPerDegree = (6371.0088 * Math.PI) / 180

/** A circle of 256 corners in degrees that are scaled for its latitude, exact to 0.1% for small circles. */
function circle(latitude: number, longitude: number, km: number): Ring {
  return Array.from({ length: 256 }, (_, index): Point => {
    const angle = (index / 256) * 2 * Math.PI
    const north = (Math.cos(angle) * km) / kmPerDegree
    const middle = (latitude + north / 2) * (Math.PI / 180)
    const east = (Math.sin(angle) * km) / kmPerDegree / Math.cos(middle)
    return [
      Math.round((longitude + east) * 1e6) - origin[0],
      Math.round((latitude + north) * 1e6) - origin[1],
    ]
  })
}

test("Random circles select the tenements within their distance, to 0.3%", async () => {
  for (let turn = 0; turn < 30; turn++) {
    const [latitude, longitude] = [between(-31.5, -28.5), between(118.5, 121.5)].map((each) =>
      Number(each.toFixed(4)),
    ) as [number, number]
    const km = Number((10 ** between(0, 2)).toFixed(2))
    const query = `near=${latitude},${longitude},${km}`
    const found = await idsOf(query)
    const certain = idsThatMeet(circle(latitude, longitude, km * 0.997))
    const possible = idsThatMeet(circle(latitude, longitude, km * 1.003))
    expect([query, certain.filter((id) => !found.includes(id))]).toEqual([query, []])
    expect([query, found.filter((id) => !possible.includes(String(id)))]).toEqual([query, []])
  }
})

test("Facets and pages count the same records, and a bad area is 400 with its reason", async () => {
  const total = async (path: string) => (await readList(await service.get(path))).meta.total
  const box = "bbox=119,-31,121.000,-29"
  const { data } = await readList(await service.get(`/facets/tenements/status?${box}`))
  expect(data).toEqual([{ value: "granted", count: await total(`/tenements?${box}`) }])
  expect(await total(`/tenements?${box}&near=-10,130,1`)).toBe(0)
  for (const [query, message] of [
    ["bbox=1,2,3", "Must be four decimal numbers: west,south,east,north"],
    ["near=-31,121,500", "at most 200 km"],
  ] as const) {
    const [fault] = await faultsOf(service, `/tenements?${query}`)
    expect(fault?.message).toContain(message)
  }
})

test("The parameter fields selects the point and the shape: GeoJSON, well-known text and GeoParquet", async () => {
  const fields = "fields=id,latitude,longitude,geometry"
  const text = async (query: string) => (await service.get(`/tenements?${query}`)).text()
  const page = await text(`${fields}&per_page=100`)
  expect(page).toBe(JSON.stringify(JSON.parse(page)))
  const { data } = await readList(new Response(page))
  for (const { id, latitude, longitude, geometry } of data) {
    const parts = shapes.get(String(id)) ?? []
    const point: Point = [Number(longitude) * 1e6 - origin[0], Number(latitude) * 1e6 - origin[1]]
    expect([id, parts.some(({ outline }) => isInside(point, outline))]).toEqual([id, true])
    expect(Object(geometry).type).toBe(parts.length > 1 ? "MultiPolygon" : "Polygon")
  }
  const lines = (await text(`${fields}&format=ndjson&all=true`)).trim().split("\n")
  expect(lines.length).toBe(shapes.size + 1)
  expect(lines.slice(0, data.length).map((line) => JSON.parse(line))).toEqual(data)
  const none = { id: "none", latitude: null, longitude: null, geometry: null }
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(none)
  const [header, first] = (await text(`${fields}&format=csv&all=true`)).split("\r\n")
  expect(header).toBe("id,latitude,longitude,geometry")
  const { id, latitude, longitude, geometry } = data[0] ?? {}
  expect(first).toBe(`${id},${latitude},${longitude},"${wktOf(JSON.stringify(geometry))}"`)
  const record = await readRecord(await service.get(`/tenements/${id}?fields=geometry`))
  expect(record).toEqual({ geometry })
  const file = await (
    await service.get(`/tenements?${fields}&format=parquet&all=true`)
  ).arrayBuffer()
  const rows = await parquetReadObjects({ file })
  expect(rows.slice(0, data.length)).toEqual(data)
  const { key_value_metadata = [] } = parquetMetadata(file)
  const { value = "" } = key_value_metadata.find(({ key }) => key === "geo") ?? {}
  expect(JSON.parse(value)).toMatchObject({
    version: "1.1.0",
    primary_column: "geometry",
    columns: { geometry: { encoding: "WKB", geometry_types: ["Polygon", "MultiPolygon"] } },
  })
})

test("A Parquet file names the reference system of its sources, and none where it is not sure", () => {
  const crsOf = (...sources: [crs: string | null, last_release?: number][]) => {
    const rows = sources.map(([crs, last_release = 3]) => ({ crs, last_release }))
    return JSON.parse(geoParquetMetadata(rows, 3)).columns.geometry.crs
  }
  expect(crsOf(["EPSG:7844"], ["EPSG:7844"], [null, 4])).toMatchObject({
    type: "GeographicCRS",
    name: "GDA2020",
    id: { authority: "EPSG", code: 7844 },
  })
  // The default of GeoParquet.
  expect(crsOf(["EPSG:4326"])).toBeUndefined()
  expect(crsOf(["EPSG:7844"], ["EPSG:4283"])).toBeNull()
  expect(crsOf(["EPSG:4326"], ["EPSG:4283"])).toBeNull()
  expect(crsOf(["EPSG:4283; EPSG:7844"])).toBeNull()
  expect(crsOf([null])).toBeNull()
  // A later release may have shapes in another system.
  expect(crsOf(["EPSG:7844", 4])).toBeNull()
  expect(crsOf(["EPSG:7844"], ["EPSG:4326", 4])).toBeNull()
})

test("GeoJSON has a feature for each record, with the fields without the geometry as properties", async () => {
  const response = await service.get("/tenements?format=geojson&per_page=2")
  expect(response.headers.get("content-type")).toBe("application/geo+json")
  expect(response.headers.get("link")).toContain('rel="next"')
  const page = await response.json()
  const { data } = await readList(await service.get("/tenements?per_page=2"))
  const shaped = await readList(await service.get("/tenements?per_page=2&fields=geometry"))
  const features = data.map((properties, index) => ({
    type: "Feature",
    id: properties.id,
    geometry: shaped.data[index]?.geometry,
    properties,
  }))
  const total = shapes.size + 1
  const counts = { type: "FeatureCollection", numberMatched: total, numberReturned: 2 }
  expect(page).toEqual({ ...counts, features })
  const whole = await service.get("/tenements?format=geojson&all=true&fields=status,geometry")
  const all = Object(await whole.json())
  expect([all.numberReturned, all.features.length]).toEqual([total, total])
  expect(all.features[0]).toEqual({ ...features[0], properties: { status: "granted" } })
  const one = await service.get(`/tenements/${features[0]?.id}?format=geojson&fields=status`)
  expect(one.headers.get("content-type")).toBe("application/geo+json")
  expect(await one.json()).toEqual(all.features[0])
  expect((await service.get("/tenements/T0?format=csv")).status).toBe(400)
  expect((await service.get("/companies/BIG?format=geojson")).status).toBe(400)
  const accept = { headers: { accept: "application/geo+json" } }
  const negotiated = await service.get("/companies/NONE/tenements", accept)
  expect(negotiated.status).toBe(404)
  expect((await service.get("/companies?format=geojson")).status).toBe(400)
})

test("as_of has the areas and the shapes of that release", async () => {
  const moved = "bbox=139,-21,141,-19"
  const shapeOf = async (id: string, query: string) =>
    (await readRecord(await service.get(`/tenements/${id}?fields=geometry${query}`))).geometry
  const before = await shapeOf("T0", "")
  const [longitude, latitude] = Object(before).coordinates.flat(9)
  const area = `near=${latitude},${longitude},0.001`
  expect(await idsOf(area)).toContain("T0")
  const shape = "POLYGON ((140 -20,140.1 -20,140.1 -19.9,140 -20))"
  await load("tenements", { "moved.csv": rowsOf(["T0", shape]) }, { partial: true })
  expect([await idsOf(moved), await idsOf(`${moved}&as_of=2`)]).toEqual([["T0"], []])
  expect(await idsOf(area)).not.toContain("T0")
  expect(await idsOf(`${area}&as_of=2`)).toContain("T0")
  expect(await shapeOf("T0", "&as_of=2")).toEqual(before)
  expect(Object(await shapeOf("T0", "")).coordinates[0]).toContainEqual([140.1, -19.9])
})

test("A later page of a release whose shapes are pruned is an error, never without its shapes", async () => {
  const list = "/tenements?fields=id,geometry&per_page=100"
  const formats = ["json", "csv", "geojson"]
  for (const format of formats) {
    expect((await service.get(`${list}&format=${format}`)).status).toBe(200)
  }
  const shape = "POLYGON ((141 -20,141.1 -20,141.1 -19.9,141 -20))"
  await load("tenements", { "again.csv": rowsOf(["T0", shape]) }, { partial: true })
  await prune(service.database.url, 0)
  for (const format of formats) {
    const [fault] = await faultsOf(service, `${list}&format=${format}&page=4`)
    expect(fault?.message).toContain("start again at page 1")
  }
})

test("A tenement in a notch of another is near it, although their edges are almost parallel", async () => {
  const notched =
    "145.001338 -25.998525,145.001341 -26.248526,145.10134 -26.248525,145.101338 -26.098524,145.28467 -26.098522,145.28467 -26.031855,145.184671 -26.031856,145.18467 -25.998523,145.001338 -25.998525"
  const within =
    "145.18467 -25.948522,145.184671 -26.031856,145.28467 -26.031855,145.284669 -25.948521,145.18467 -25.948522"
  const shapes = { NOTCHED: `POLYGON ((${notched}))`, WITHIN: `POLYGON ((${within}))` }
  const rows = Object.entries(shapes).map(([id, shape]) => [id, shape, "QLD"] as const)
  await load("tenements", { "notch.csv": rowsOf(...rows) }, { partial: true })
  for (const km of [0.0001, 0.01, 0.05, 0.1, 0.3, 0.5, 1, 5]) {
    for (const id of ["NOTCHED", "WITHIN"]) {
      expect(await idsOf(`near=${id},${km}&state=QLD`)).toEqual(["NOTCHED", "WITHIN"])
    }
  }
})

test("The ground around a tenement is measured from its shape at the release shown", async () => {
  const square = (west: number, south: number, size: number) =>
    [
      [west, south],
      [west + size, south],
      [west + size, south + size],
      [west, south + size],
      [west, south],
    ]
      .map((point) => point.map((each) => each.toFixed(4)).join(" "))
      .join()
  const large = `POLYGON ((${square(150, -20, 1)}),(${square(150.3, -19.7, 0.4)}))`
  await load(
    "tenements",
    {
      "around.csv": rowsOf(
        ["LARGE", large],
        ["TOUCHING", `POLYGON ((${square(151, -20, 0.1)}))`],
        // A hundredth of a degree of latitude is 1.112 km.
        ["NORTH", `POLYGON ((${square(150.5, -18.99, 0.1)}))`],
        // In the hole, 11 km from its sides.
        ["HOLE", `POLYGON ((${square(150.45, -19.55, 0.1)}))`],
      ),
    },
    { partial: true },
  )
  const ids = (near: string, rest = "") => idsOf(`near=${near}${rest}`)
  expect(await ids("LARGE,0.001")).toEqual(["LARGE", "TOUCHING"])
  expect(await ids("LARGE,1.11")).toEqual(["LARGE", "TOUCHING"])
  expect(await ids("LARGE,1.114")).toEqual(["LARGE", "NORTH", "TOUCHING"])
  expect(await ids("LARGE,15.5")).toEqual(["LARGE", "NORTH", "TOUCHING"])
  expect(await ids("LARGE,16.00")).toEqual(["HOLE", "LARGE", "NORTH", "TOUCHING"])
  expect(await ids("LARGE,16", "&bbox=150.5,-19,151,-18")).toEqual(["LARGE", "NORTH"])
  const path = "/facets/tenements/status?near=LARGE,16"
  expect((await readList(await service.get(path))).data).toEqual([{ value: "granted", count: 4 }])
  const csv = await service.get("/tenements?near=LARGE,16&format=csv&all=true&fields=id")
  expect(await csv.text()).toBe("id\r\nHOLE\r\nLARGE\r\nNORTH\r\nTOUCHING\r\n")

  const faultOf = (query: string) => faultsOf(service, `/tenements?${query}`)
  const fault = (parameter: string, message: string) => [{ parameter, message }]
  const before = releaseOf(await service.get("/tenements"))
  expect(await faultOf("near=NOWHERE,5")).toEqual(
    fault("near", `No tenement has the id NOWHERE at release ${before}`),
  )
  expect(await faultOf("near=none,5")).toEqual(fault("near", "The shape of none is not known"))
  expect(await faultOf("near=LARGE,201")).toEqual(
    fault("near", "Must have a distance above 0 and at most 200 km"),
  )

  const asked = "/tenements?near=LARGE,16&per_page=100"
  const first = await service.get(asked)
  const headers = { "if-none-match": String(first.headers.get("etag")) }
  expect((await service.get(asked, { headers })).status).toBe(304)
  expect(await ids("LARGE,16", `&updated_since=${before}`)).toEqual([])
  const moved = `POLYGON ((${square(150.5, -18.99, 0.01)}))`
  await load("tenements", { "moved.csv": rowsOf(["LARGE", moved]) }, { partial: true })
  expect((await service.get(asked, { headers })).status).toBe(200)
  expect(await ids("LARGE,16")).toEqual(["LARGE", "NORTH"])
  expect(await ids("LARGE,16", `&as_of=${before}`)).toHaveLength(4)
  for (const name of ["updated_since", "removed_since"]) {
    const message = `The shape of LARGE has changed since release ${before}, so changes around it are unknown. Read the whole list`
    expect(await faultOf(`near=LARGE,16&${name}=${before}`)).toEqual(fault(name, message))
    expect(await ids("NORTH,16", `&${name}=${before}`)).toEqual(
      name === "updated_since" ? ["LARGE"] : [],
    )
    // The shape did not exist.
    expect(await faultOf(`near=LARGE,16&${name}=1`)).toHaveLength(1)
  }
})

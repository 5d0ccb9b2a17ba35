/** Loads of shapes: their sources, their guards, and their changes. */
import { expect, test } from "bun:test"
import { systemNamed } from "../../../src/data/places/reference-system.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { openTables } from "../../../src/ingest/loading/reading/rows.ts"
import { vacuumChanged } from "../../../src/ingest/loading/vacuum.ts"
import { circle, closed, square } from "../../data/places/shapes.ts"
import { dbaseFile, shapefile, zipFile } from "./packed-files.ts"
import { sourceOf } from "./readings.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()
const { sql } = bench

const rings = (west: number, south: number, side = 0.1) => [closed(square(west, south, side))]
const polygon = (...place: Parameters<typeof rings>) => ({
  type: "Polygon",
  coordinates: rings(...place),
})
const large = (longitude: number) => ({
  type: "Polygon",
  coordinates: [circle(60_000, longitude)],
})
const row = (id: string, geometry?: object | string | null) => ({
  id,
  tenement_id: id,
  state: "WA",
  ...(geometry !== undefined && { geometry }),
})
type Row = ReturnType<typeof row>
const ndjson = (rows: readonly Row[]) => rows.map((each) => `${JSON.stringify(each)}\n`).join("")
const shapes = async () =>
  Object.fromEntries(
    (
      await sql`select id, latitude, longitude, string_agg(coordinates, ' and ' order by part) as parts
        from tenements t left join shape_parts on shape = t.geometry group by id order by id`
    ).map(({ id, latitude, longitude, parts }) => [
      id,
      parts === null ? null : `${latitude} ${longitude} ${parts}`,
    ]),
  )

test("The same shape in another notation changes nothing, and another shape changes the record", async () => {
  const ring = [
    [115, -31],
    [115.1, -31],
    [115.1, -30.9],
    [115, -30.9],
  ] as const
  const spelled = (points: readonly (readonly number[])[]) => [
    row("a", { type: "Polygon", coordinates: [[...points, points[0]]] }),
  ]
  expect((await bench.load("tenements", ndjson(spelled(ring)))).release).toBe(1)
  for (const points of [[...ring].reverse(), [...ring.slice(2), ...ring.slice(0, 2)]])
    expect((await bench.load("tenements", ndjson(spelled(points)))).release).toBeNull()
  const moved = await bench.load("tenements", ndjson([row("a", polygon(115, -31, 0.2))]))
  expect(moved.changes).toMatchObject({ added: 0, changed: 1, reshaped: 1 })
  expect((await sql`select id from tenements_history`).length).toBe(1)
  expect((await sql`select shape from shape_parts`).length).toBe(2)
})

test("Pruning deletes the shapes that no version of a tenement has", async () => {
  for (const size of [0.1, 0.2, 0.3])
    await bench.load("tenements", ndjson([row("a", polygon(115, -31, size))]))
  await sql`update releases set published_at = now() - make_interval(hours => 24 * (9 - id) + 12)`
  await prune(bench.url, 7)
  const kept = await sql`select coordinates from shape_parts order by coordinates`
  expect(kept.map(({ coordinates }) => JSON.parse(coordinates)[0][1])).toEqual([
    [115.2, -31],
    [115.3, -31],
  ])
})

test("WKT and GeoJSON in a column, and features, produce the same shape", async () => {
  await bench.load("tenements", ndjson([row("a", polygon(115, -31))]))
  const [expected] = Object.values(await shapes())
  expect(expected).toBe(
    "-30.95 115.05 [[[115,-31],[115.1,-31],[115.1,-30.9],[115,-30.9],[115,-31]]]",
  )
  const wkt = "POLYGON ((115 -31, 115.1 -31, 115.1 -30.9, 115 -30.9, 115 -31))"
  const loaded = [
    `id,tenement_id,state,geometry\na,a,WA,"${wkt}"\n`,
    `id\ttenement_id\tstate\tgeometry\na\ta\tWA\t${JSON.stringify(polygon(115, -31))}\n`,
    JSON.stringify({
      type: "FeatureCollection",
      features: [{ type: "Feature", properties: row("a"), geometry: polygon(115, -31) }],
      crs: { type: "name", properties: { name: "urn:ogc:def:crs:EPSG::4283" } },
    }),
  ]
  for (const content of loaded) {
    const { release, files } = await bench.load("tenements", content)
    expect([release, files[0]?.shapes]).toEqual([null, 1])
  }
  const [{ crs }] = await sql<[{ crs: string }]>`select crs from sources`
  expect(crs).toBe("EPSG:4283")
})

const feature = (id: string, geometry: object | null) => ({ properties: row(id), geometry })
const gda2020Zone50 = { type: "name", properties: { name: "EPSG:7850" } }

test("The members of a document may be in any order", async () => {
  const features = [{ ...feature("a", polygon(115, -31)), type: "Feature" }]
  const arcgis = [{ attributes: row("a"), geometry: { rings: rings(115, -31) } }]
  const systemOfLoad = async (document: object) =>
    (await bench.load("tenements", JSON.stringify(document))).files[0]?.crs
  expect(await systemOfLoad({ features, type: "FeatureCollection" })).toBe("EPSG:4326")
  expect(await systemOfLoad({ features: arcgis, spatialReference: { wkid: 7844 } })).toBe(
    "EPSG:7844",
  )
  const late = { features, type: "FeatureCollection", crs: gda2020Zone50 }
  const refusal = (document: object) => bench.refusal("tenements", JSON.stringify(document))
  expect(await refusal(late)).toContain("after its features; name it with --crs")
  expect(await refusal({ features: arcgis, fields: [] })).toContain(
    "it states no coordinate reference system",
  )
})

test("Rows with large shapes are read a few at a time", async () => {
  const rows = Array.from({ length: 7 }, (_, index) => row(`t${index}`, large(121)))
  const reading = { source: sourceOf("tenements"), readsShapes: true }
  const path = bench.file("large.ndjson", ndjson(rows))
  const sizes: number[] = []
  for await (const { batches } of openTables(path, reading))
    for await (const batch of batches) sizes.push(batch.length)
  expect(sizes).toEqual([3, 3, 1])
})

test("A file without shapes leaves them, and so does a shape without an outline", async () => {
  await bench.load("tenements", ndjson([row("a", polygon(115, -31)), row("b", polygon(116, -31))]))
  const before = await shapes()
  expect((await bench.load("tenements", ndjson([row("a"), row("b")]))).release).toBeNull()
  const faulty = ndjson([row("a", polygon(15, -31)), row("b", polygon(116, -31))])
  const { release, files } = await bench.load("tenements", faulty)
  expect(release).toBeNull()
  expect(Object.keys(files[0]?.warnings ?? {})).toEqual([
    "geometry: a ring outside of 90 to 180 degrees east and 60 to 0 degrees south was left out",
  ])
  const without = await bench.load("tenements", ndjson([row("a", null), row("b", null)]), {
    withoutShapes: true,
  })
  expect(without.release).toBeNull()
  expect(await shapes()).toEqual(before)
})

test("A null geometry is an unknown shape: it is counted, and the stored one stays", async () => {
  await bench.load("tenements", ndjson([row("a", polygon(115, -31)), row("b", polygon(116, -31))]))
  const before = await shapes()
  const unknown = ndjson([row("a", null), row("b", polygon(116, -31))])
  const { release, files } = await bench.load("tenements", unknown)
  expect([release, files[0]?.warnings]).toEqual([
    null,
    { "geometry: none is stated; a stored shape stays": 1 },
  ])
  expect(await shapes()).toEqual(before)
  await bench.load("tenements", unknown, { acceptEmpty: ["geometry"] })
  expect(await shapes()).toEqual({ ...before, a: null })
})

test("A cell may have a shape of 100,000 points, and a larger one is left out", async () => {
  const wkt = (count: number) => {
    const corners = circle(count).map(([x, y]) => `${x.toFixed(20)} ${y.toFixed(20)}`)
    return `"POLYGON ((${corners.join()}))"`
  }
  const { files } = await bench.load(
    "tenements",
    `id,tenement_id,state,geometry\na,a,WA,${wkt(98_000)}\nb,b,WA,${wkt(101_000)}\n`,
  )
  expect(files[0]).toMatchObject({
    accepted: 2,
    shapes: 1,
    warnings: { "geometry: a shape of more than 100,000 points was left out": 1 },
  })
})

test("A shape that several holders' rows repeat counts once", async () => {
  const title = (longitude: number, holder_name: string) => ({
    type: "Feature",
    properties: {
      displayname: "ML 1",
      permittype: "Mining Lease",
      permitstatus: "Granted",
      authorisedholdername: holder_name,
    },
    geometry: { type: "Polygon", coordinates: [circle(15_000, longitude, 0.1)] },
  })
  const features = [145, 147].flatMap((west) =>
    ["A", "B", "C", "D", "E"].map((name) => title(west, `${name} PTY LTD`)),
  )
  const { files } = await bench.load("qld", JSON.stringify({ type: "FeatureCollection", features }))
  expect(files[0]?.warnings).toEqual({})
  expect(Object.values(await shapes())).toEqual([expect.stringContaining("]]] and [[[")])
})

test("Rows that differ only in their shape are one record with several parts", async () => {
  const rows = [row("a", polygon(115, -31)), row("a", polygon(117, -31)), row("b")]
  const { release, files } = await bench.load("tenements", ndjson(rows))
  expect([release, files[0]?.rejected, files[0]?.repeated]).toEqual([1, 0, 1])
  expect((await shapes()).a).toContain("]]] and [[[")
  expect((await sql`select outline from shape_parts`).length).toBe(2)
})

test("Rows of one title with two shapes, one without its area, are one record", async () => {
  const title = (shapeareahectares: number | null, west: number) => ({
    type: "Feature",
    properties: {
      displayname: "ML 1",
      permittype: "Mining Lease",
      permitstatus: "Granted",
      authorisedholdername: "A PTY LTD",
      shapeareahectares,
    },
    geometry: polygon(west, -31),
  })
  const features = [title(100, 145), title(null, 147)]
  const { files } = await bench.load("qld", JSON.stringify({ type: "FeatureCollection", features }))
  expect([files[0]?.rejected, files[0]?.repeated]).toEqual([0, 1])
  expect(Object.values(await shapes())).toEqual([expect.stringContaining("]]] and [[[")])
})

test("Parts that together have more than 100,000 points are left out with a warning", async () => {
  await bench.load("tenements", ndjson([row("a", polygon(115, -31)), row("b", polygon(116, -31))]))
  const before = await shapes()
  const rows = [row("a", large(120)), row("a", large(125)), row("b", polygon(116, -31))]
  const { release, files } = await bench.load("tenements", ndjson(rows))
  expect([release, files[0]?.repeated, files[0]?.warnings]).toEqual([
    null,
    1,
    { "geometry: a shape of more than 100,000 points was left out": 1 },
  ])
  expect(await shapes()).toEqual(before)
})

test("A source has the systems of all its shapes, of older files while their shapes stay", async () => {
  const document = (crs: string, ...ids: string[]) =>
    JSON.stringify({
      type: "FeatureCollection",
      crs: { type: "name", properties: { name: crs } },
      features: ids.map((id, index) => ({
        ...feature(id, polygon(115 + index, -31)),
        type: "Feature",
      })),
    })
  const systemsAfter = async (content: string, options = {}) => {
    await bench.load("tenements", content, options)
    return (await sql`select crs from sources`)[0]?.crs
  }
  expect(await systemsAfter(document("EPSG:4283", "a", "b"))).toBe("EPSG:4283")
  expect(await systemsAfter(document("EPSG:7844", "a"), { partial: true })).toBe(
    "EPSG:4283; EPSG:7844",
  )
  expect(await systemsAfter(ndjson([row("a"), row("b")]))).toBe("EPSG:4283; EPSG:7844")
  expect(await systemsAfter(document("EPSG:7844", "a", "b"))).toBe("EPSG:7844")
})

test("A load that moves many shapes stops unless it is accepted, and one without them keeps them", async () => {
  const rows = (at: (index: number) => object | null) =>
    ndjson(Array.from({ length: 20 }, (_, index) => row(`t${index}`, at(index))))
  await bench.load(
    "tenements",
    rows((index) => polygon(115 + index, -31)),
  )
  const lost = rows((index) => (index < 8 ? null : polygon(115 + index, -31)))
  const moved = rows((index) => polygon(115 + index, index < 6 ? -31.1 : -31))
  expect(await bench.refusal("tenements", moved)).toContain("add --accept-moved")
  expect((await bench.load("tenements", moved, { acceptMoved: true })).release).toBe(2)
  const acceptEmpty = ["geometry"]
  expect((await bench.load("tenements", lost, { acceptEmpty })).release).toBe(3)
  // The points inside may be those of another version of the service.
  await sql`update tenements set latitude = latitude + 0.1`
  const grown = rows((index) =>
    index < 8 ? null : polygon(115 + index, -31, index < 6 ? 0.1 : 0.101),
  )
  expect((await bench.load("tenements", grown)).changes).toMatchObject({ reshaped: 12 })
  const none = rows(() => null)
  expect((await bench.load("tenements", none)).release).toBeNull()
  expect((await bench.load("tenements", none, { acceptEmpty })).changes.changed).toBe(12)
  expect(new Set(Object.values(await shapes()))).toEqual(new Set([null]))
})

test("A system that cannot be converted stops the load, and a named one is used instead", async () => {
  const document = (crs: string) =>
    JSON.stringify({
      type: "FeatureCollection",
      crs: { type: "name", properties: { name: crs } },
      features: [{ type: "Feature", properties: row("a"), geometry: polygon(115, -31) }],
    })
  const refused = await bench.refusal("tenements", document("EPSG:4202"))
  expect(refused).toContain("--crs EPSG:n")
  expect(refused).toContain("--without-shapes")
  const { files } = await bench.load("tenements", document("EPSG:4202"), {
    crs: systemNamed("EPSG:4283"),
  })
  expect(files[0]?.crs).toBe("EPSG:4283")
})

test.each([
  ["a feature", (crs: object) => ({ ...feature("a", polygon(115, -31)), type: "Feature", crs })],
  [
    "a geometry",
    (crs: object) => ({ ...feature("a", { ...polygon(115, -31), crs }), type: "Feature" }),
  ],
  ["a geometry of text", (crs: object) => row("a", JSON.stringify({ ...polygon(115, -31), crs }))],
])("The system that %s states is that of its shape", async (_, rowIn) => {
  const stated = (name: string) =>
    `${JSON.stringify(rowIn({ type: "name", properties: { name } }))}\n`
  expect(await bench.refusal("tenements", stated("EPSG:4202"))).toContain("--crs EPSG:n")
  const { files } = await bench.load("tenements", stated("EPSG:7844"))
  expect(files[0]).toMatchObject({ shapes: 1, crs: "EPSG:7844" })
  expect(await bench.refusal("tenements", stated("EPSG:7844") + stated("EPSG:4283"))).toContain(
    "several coordinate reference systems",
  )
})

const gda94 =
  'GEOGCS["GDA94",DATUM["D_GDA_1994",SPHEROID["GRS_1980",6378137,298.257222101]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]'

test("A zipped shapefile gives each record the shape of its number, and must have as many shapes as records", async () => {
  const columns = ["id", "tenement_id", "state"].map((name) => ({
    name,
    type: "C" as const,
    length: 12,
  }))
  const table = (...ids: string[]) =>
    dbaseFile(
      columns,
      ids.map((id) => [id, id, "WA"]),
      { deleted: [1] },
    )
  const zipped = (shp: Buffer, others: Record<string, string | Buffer> = { "t/A.PRJ": gda94 }) => [
    bench.file("a.zip", zipFile({ "t/a.dbf": table("x", "y", "z"), "t/a.shp": shp, ...others })),
  ]
  const shp = shapefile([rings(115, -31), rings(116, -31), null])
  expect(await bench.refusal("tenements", zipped(shp, {}))).toContain("--without-shapes")
  const long = { "t/a.prj": gda94 + " ".repeat(64 * 1024) }
  expect(await bench.refusal("tenements", zipped(shp, long))).toContain(".prj is longer than 64 KB")
  const damaged = await bench.refusal("tenements", zipped(shp.subarray(0, 200)))
  expect(damaged).toContain("its .shp: it is truncated")
  expect(damaged).not.toContain("Not taken")
  // A layer of another kind, in a system that cannot be converted.
  const other = dbaseFile([{ name: "SITE_NO", type: "C", length: 5 }], [["1"]])
  const otherPrj = gda94.replace("D_GDA_1994", "D_Australian_1966")
  const others = { "t/0.dbf": other, "t/0.shp": shp, "t/0.prj": otherPrj, "t/a.prj": gda94 }
  expect((await bench.load("tenements", zipped(shp, others))).files[0]?.shapes).toBe(1)
  await bench.empty()
  const { files } = await bench.load("tenements", zipped(shp))
  expect([files[0]?.shapes, files[0]?.crs]).toEqual([1, "EPSG:4283"])
  expect(await shapes()).toMatchObject({ y: expect.stringContaining("-30.95 116.05"), z: null })
  // The same parts beside each other.
  bench.file("B.SHP", shp)
  bench.file("B.prj", gda94)
  const beside = await bench.load("tenements", [bench.file("B.dbf", table("x", "y", "z"))])
  expect([beside.release, beside.files[0]?.shapes]).toEqual([null, 1])
  const fewer = zipped(shapefile([rings(115, -31), null]))
  expect(await bench.refusal("tenements", fewer)).toContain("its .shp has 2 of 3 records")
})

test("A changed .shp or .prj beside the same table is another download", async () => {
  const columns = ["tno", "typedesc", "statussdsc", "own_name"].map((name) => ({
    name,
    type: "C" as const,
    length: 20,
  }))
  const cells = [["EL1", "Mining Licence", "Current", "A PTY LTD"]]
  const path = bench.file("c.dbf", dbaseFile(columns, cells))
  bench.file("c.shp", shapefile([rings(145, -37)]))
  bench.file("c.prj", gda94)
  const { files } = await bench.load("vic", [path], { observed: "2020-01-02" })
  expect(files[0]).toMatchObject({
    sha256: new Bun.CryptoHasher("sha256").update(await Bun.file(path).bytes()).digest("hex"),
    sha256_beside: [expect.any(String), expect.any(String)],
  })
  const isSame = async () =>
    (await bench.load("vic", [path], { dryRun: true })).observed === "2020-01-02T00:00:00Z"
  expect(await isSame()).toBe(true)
  bench.file("c.prj", `${gda94} `)
  expect(await isSame()).toBe(false)
  bench.file("c.prj", gda94)
  bench.file("c.shp", shapefile([rings(145.001, -37)]))
  expect(await isSame()).toBe(false)
})

test("After a large load, and no other, the tenements and their shapes have statistics", async () => {
  const rows = Array.from({ length: 20 }, (_, n) => row(`T${n}`, polygon(121 + n, -31)))
  const loaded = await bench.load("tenements", ndjson(rows))
  const changes = { ...loaded.changes, added: 10_000 }
  for (const [published, counted] of [
    [loaded, -1],
    [{ ...loaded, changes }, 20],
  ] as const) {
    await vacuumChanged(bench.url, published, silent)
    const tables = await sql`
      select relname as name, reltuples::integer as rows from pg_class
      where relname in ('tenements', 'shape_parts') order by 1`
    expect([...tables]).toEqual([
      { name: "shape_parts", rows: counted },
      { name: "tenements", rows: counted },
    ])
  }
})

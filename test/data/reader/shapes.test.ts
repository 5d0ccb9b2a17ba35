/** An export reads at most 4 MB of shapes at a time. */
import { expect, test } from "bun:test"
import { cacheSizes } from "../../../src/data/db/cache.ts"
import { createPool } from "../../../src/data/db/pool/pool.ts"
import { createReader } from "../../../src/data/reader/reader.ts"
import { noRelease } from "../../../src/data/reader/releases.ts"
import { createRecordSink } from "../../../src/data/reader/rows.ts"
import { namesInSet, orderOf } from "../../../src/data/resources/resource.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"

const { sql, url } = await databaseOfFile()
const pool = createPool(url, { name: "shapes", connections: 1, statementTimeoutMs: 60_000 })
afterFile(pool.close)
const pools = { records: pool, lists: pool, exports: pool }
const fieldSet = "all with shapes"
const { chunks } = createReader(pools, cacheSizes(0), () => {})

const utf8 = new TextEncoder()
const mebibyte = 1024 ** 2
/** The parts of each shape, in mebibytes. */
const sizes = { five: [3, 2], two: [2], one: [0.5, 0.5], another: [1], last: [1] }
for (const [shape, parts] of Object.entries(sizes)) {
  for (const [part, size] of parts.entries()) {
    await sql`insert into shape_parts values
      (${shape}, ${part}, repeat('7', ${size * mebibyte}), '((0,0),(1,0),(1,1))', '{}')`
  }
}

/** The sizes of the parts of a shape. */
const sizesOf = (geometry: unknown): string | null =>
  geometry === null
    ? null
    : String(Object(JSON.parse(String(geometry))).type) +
      (String(geometry).match(/7+/g) ?? []).map(({ length }) => ` ${length / mebibyte}`).join()

/** The chunks of an export of tenements that have these shapes in this order. */
async function chunksOf(...geometries: (string | null)[]) {
  await sql`truncate tenements`
  for (const [index, geometry] of geometries.entries()) {
    await sql`insert into tenements (id, tenement_id, state, holder_keys, source, since_release, geometry)
      values (${index}, ${index}, 'WA', '{}', 'test', 0, ${geometry})`
  }
  const list = { resource: tenements, fieldSet, filters: [], order: orderOf(tenements) } as const
  const identity = crypto.randomUUID()
  const found = await chunks(
    { ...list, bound: {}, identity },
    {
      release: noRelease,
      account: null,
      newEncoder: () => {
        const { records, ...sink } = createRecordSink({
          resource: tenements,
          names: namesInSet(tenements, fieldSet),
        })
        const sizes = () => records.map(({ geometry }) => sizesOf(geometry))
        return { ...sink, content: () => utf8.encode(JSON.stringify(sizes())) }
      },
    },
  )
  return Array.fromAsync(found?.chunks ?? [], ({ content }) =>
    JSON.parse(Buffer.from(content).toString()),
  )
}

test("A chunk has at most 4 MB of shapes, in the order of the records", async () => {
  const [two, one, single] = ["Polygon 2", "MultiPolygon 0.5, 0.5", "Polygon 1"]
  expect(await chunksOf("two", null, "one", "another", "last", "one", "two", null)).toEqual([
    [two, null, one, single],
    [single, one, two, null],
  ])
})

test("A shape of more than 4 MB comes in a chunk without others", async () => {
  const [five, single] = ["MultiPolygon 3, 2", "Polygon 1"]
  expect(await chunksOf("five", "five", "last", null, "five")).toEqual([
    [five],
    [five],
    [single, null],
    [five],
  ])
})

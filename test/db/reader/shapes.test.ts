/** Shapes are read at most 4 MB at a time. */
import { expect, test } from "bun:test"
import { createPool } from "../../../src/db/pool/pool.ts"
import { createAddShapes } from "../../../src/db/reader/shapes.ts"
import { afterFile, databaseOfFile } from "../../support/of-file.ts"

const { sql, url } = await databaseOfFile()
const lists = createPool(url, { name: "shapes", connections: 1, statementTimeoutMs: 60_000 })
afterFile(lists.close)
const addShapes = createAddShapes({ records: lists, lists, exports: lists })

const mebibyte = 1024 ** 2
/** The parts of each shape, in mebibytes. */
const sizes = { five: [3, 2], two: [2], one: [0.5, 0.5], another: [1], last: [1] }
for (const [shape, parts] of Object.entries(sizes)) {
  for (const [part, size] of parts.entries()) {
    await sql`insert into shape_parts values
      (${shape}, ${part}, repeat('x', ${size * mebibyte}), '((0,0),(1,0),(1,1))', '{}')`
  }
}

const options = { release: { id: 1, publishedAt: 0, identity: "" }, account: null }
const lengths = (parts: readonly string[]) => parts.map(({ length }) => length / mebibyte).join()
/** The records in the parts in which they come, with the sizes of their shapes. */
const partsOf = (...geometries: (string | null)[]) => {
  const records = geometries.map((geometry) => ({ geometry }))
  return Array.fromAsync(addShapes("lists", records, lengths, options), (part) =>
    part.map(({ geometry }) => geometry),
  )
}

test("A part has at most 4 MB of different shapes, in the order of the records", async () => {
  expect(await partsOf("two", null, "one", "two", "another", "last", "one", null)).toEqual([
    ["2", null, "0.5,0.5", "2", "1"],
    ["1", "0.5,0.5", null],
  ])
})

test("A shape of more than 4 MB comes alone, with the records without other shapes around it", async () => {
  expect(await partsOf("five", null, "five", "last", "five")).toEqual([
    ["3,2", null, "3,2"],
    ["1"],
    ["3,2"],
  ])
  expect(await partsOf(null, "last", "five")).toEqual([[null, "1"], ["3,2"]])
})

test("Records without shapes come at once, and no records not at all", async () => {
  expect([await partsOf(null, null), await partsOf()]).toEqual([[[null, null]], []])
})

test("A shape that is no longer there ends the reading, also after others", async () => {
  for (const geometries of [["pruned"], ["last", "pruned", "two"]]) {
    await expect(partsOf(...geometries)).rejects.toThrow("no longer")
  }
})

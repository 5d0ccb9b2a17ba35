/** Files of many row groups, with columns of few and of many values, are read back as they were written. */
import { expect, test } from "bun:test"
import { parquetMetadata, parquetReadObjects } from "hyparquet"
import { type ParquetColumn, parquetFile } from "../../../src/api/http/parquet.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"

type Written = Record<string, string | number | boolean | null>

async function fileOf(
  columns: ParquetColumn[],
  records: Written[],
  perChunk: number,
): Promise<ArrayBuffer> {
  const file = await parquetFile(columns, {})
  const parts: Uint8Array[] = []
  for (let start = 0; start < records.length; start += perChunk) {
    parts.push(file.add(records.slice(start, start + perChunk)))
  }
  parts.push(file.end())
  return new Uint8Array(Buffer.concat(parts)).buffer
}

const column = (name: string, type: ParquetColumn["type"], nullable = true) => ({
  name,
  type,
  nullable,
})

test("A file of 9,000 rows has groups of 2,000 and every value", async () => {
  const below = seededIntegers(3)
  const columns = [
    column("id", "text", false),
    column("few", "text"),
    column("one", "text"),
    column("none", "text"),
    column("many", "number"),
    column("count", "integer", false),
    column("flag", "boolean"),
    column("day", "date"),
    column("at", "instant", false),
  ]
  const day = (days: number) => new Date(days * 86_400_000).toISOString().slice(0, 10)
  const records = Array.from({ length: 9_000 }, (_, row) => ({
    id: `É-${row}`,
    few: below(10) === 0 ? null : `holder ${below(40)} `.repeat(below(20)),
    one: "the same",
    none: null,
    many: below(3) === 0 ? null : below(1_000_000) / 8 - 1_000,
    count: below(5) === 0 ? Number.MAX_SAFE_INTEGER : -below(9),
    flag: [true, false, null][below(3)] ?? null,
    day: below(4) === 0 ? null : day(below(800_000) - 700_000),
    at: `${day(below(20_000))}T00:00:0${below(10)}Z`,
  }))
  const file = await fileOf(columns, records, 2_000)
  const { row_groups: groups, num_rows } = parquetMetadata(file)
  expect([groups.length, num_rows]).toEqual([5, 9_000n])
  const chunks = groups[0]?.columns.map(({ meta_data }) => meta_data) ?? []
  const inDictionary = chunks
    .filter((chunk) => chunk?.dictionary_page_offset !== undefined)
    .map((chunk) => chunk?.path_in_schema[0])
  expect(inDictionary).toEqual(["few", "one", "count"])
  const read = await parquetReadObjects({ file })
  const expected = records.map((record) => ({
    ...record,
    count: BigInt(record.count),
    day: record.day && new Date(record.day),
    at: new Date(record.at),
  }))
  expect(Bun.deepEquals(read, expected)).toBe(true)
})

test("A file without rows has all columns", async () => {
  const file = await fileOf([column("id", "text", false)], [], 1)
  expect(parquetMetadata(file).schema.map(({ name }) => name)).toEqual(["records", "id"])
  expect(await parquetReadObjects({ file })).toEqual([])
})

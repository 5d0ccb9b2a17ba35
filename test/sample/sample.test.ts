/** The sample data is the same on every machine, and of the sizes asked for. */
import { expect, test } from "bun:test"
import { pointInside, surrounds } from "../../src/data/places/inside.ts"
import { readGeometry } from "../../src/data/places/read-geometry.ts"
import { reports } from "../../src/data/resources/reports.ts"
import { sampleData, sampleSizes } from "../../src/sample/sample-data.ts"
import { makeGeometry } from "../../src/sample/shapes.ts"

/** The digest of all records at the default sizes, so that a test detects any change of the sample. */
const pinned = "63b47a2065fda3216bba1032ae7d0686f400c79d0d587e6e0b3bfb1faf42eaad"

/** All records of each resource. */
function recordsOf(sizes = {}): Record<string, object[]> {
  const sample = sampleData({ sizes })
  return {
    companies: [...sample.companies()],
    tenements: [...sample.tenements()],
    subsidiaries: [...sample.subsidiaries()],
    reports: [...sample.reports()],
  }
}

const countsOf = (records: Record<string, object[]>) =>
  Object.fromEntries(Object.entries(records).map(([name, { length }]) => [name, length]))

test("The default sample is the same on every machine and in every run, each key once", () => {
  const records = recordsOf()
  expect(new Bun.CryptoHasher("sha256").update(JSON.stringify(records)).digest("hex")).toBe(pinned)
  expect(recordsOf()).toEqual(records)
  for (const [name, key] of Object.entries({
    companies: "asx_code",
    tenements: "id",
    subsidiaries: "id",
    reports: "hash",
  })) {
    const all = records[name] ?? []
    expect(new Set(all.map((record) => Reflect.get(record, key))).size).toBe(all.length)
  }
  expect(countsOf(records)).toEqual({ ...sampleSizes })
})

test("The documented example of a type is a type of the sample", () => {
  const types = [...sampleData().reports()].map(({ type }) => type)
  expect(types).toContain(String(reports.filters.type?.schema.examples?.[0]))
})

test("The generator makes the requested number of records", () => {
  const small = { companies: 1, subsidiaries: 50, tenements: 50, reports: 50 }
  expect(countsOf(recordsOf(small))).toEqual(small)
  const none = { companies: 0, subsidiaries: 0, reports: 0, tenements: 9 }
  expect(countsOf(recordsOf(none))).toEqual(none)
  expect(() => sampleData({ sizes: { companies: 0 } })).toThrow("without companies")
})

test("The sample is generated as it is read, so memory does not grow with its size", () => {
  const endless = sampleData({ sizes: { tenements: 1e12, reports: 1e12 } })
  for (const records of [endless.tenements(), endless.reports()]) {
    expect(Iterator.from<object>(records).take(3).toArray()).toHaveLength(3)
  }
})

test("Shapes of the sample are complete, some have parts or holes, and neighbours share corners", () => {
  const counts = { none: 0, parts: 0, holes: 0, sharedCorners: 0 }
  const corners = new Set<string>()
  for (const tenement of sampleData({ sizes: { tenements: 10_000 } }).tenements()) {
    const geometry = makeGeometry(tenement)
    expect(makeGeometry(tenement)).toBe(geometry)
    if (geometry === null) {
      counts.none++
      continue
    }
    const { shape, leftOut } = readGeometry(geometry, (x, y) => [x, y])
    expect([tenement.id, leftOut]).toEqual([tenement.id, []])
    if (!shape) throw new Error(`${tenement.id} has no shape`)
    if (shape.length > 1) counts.parts++
    if (shape.some(({ holes }) => holes.length > 0)) counts.holes++
    for (const { outline } of shape) {
      const [x = 0, y = 0] = pointInside([{ outline, holes: [] }])
      expect(surrounds(outline, [x, y])).toBe(true)
      for (const corner of outline) {
        if (corners.has(String(corner))) counts.sharedCorners++
        corners.add(String(corner))
      }
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(100)
})

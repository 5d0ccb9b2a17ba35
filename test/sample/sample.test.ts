/** The sample data is the same on every machine, and of the sizes asked for. */
import { expect, test } from "bun:test"
import { sampleData, sampleSizes } from "./sample-data.ts"

/**
 * The digest of all records at the default seed and sizes, so that no change of the sample goes
 * unnoticed.
 */
const pinned = "e76b0757da93541a4ea754c66af31c58306b0c1d748adc0de17f4defc78d82d5"
const sample = sampleData()
const companies = [...sample.companies()]
const subsidiaries = [...sample.subsidiaries()]
const tenements = [...sample.tenements()]
const reports = [...sample.reports()]

function digest(data: ReturnType<typeof sampleData>): string {
  const hasher = new Bun.CryptoHasher("sha256")
  for (const records of [
    data.companies(),
    data.subsidiaries(),
    data.tenements(),
    data.reports(),
  ] as const) {
    for (const record of records) hasher.update(`${JSON.stringify(record)}\n`)
  }
  return hasher.digest("hex")
}

test("the default sample is the same on every machine and in every run", () => {
  expect(digest(sample)).toBe(pinned)
  expect(digest(sampleData())).toBe(pinned)
})

test("as many records are generated as were asked for", () => {
  expect({
    companies: companies.length,
    tenements: tenements.length,
    subsidiaries: subsidiaries.length,
    reports: reports.length,
  }).toEqual({ ...sampleSizes })
  const small = sampleData({
    sizes: { companies: 1, subsidiaries: 50, tenements: 50, reports: 50 },
  })
  expect(
    [small.subsidiaries(), small.tenements(), small.reports()].map((r) => [...r].length),
  ).toEqual([50, 50, 50])
  const none = sampleData({ sizes: { companies: 0, subsidiaries: 0, reports: 0, tenements: 9 } })
  expect([...none.tenements()]).toHaveLength(9)
})

test("impossible sizes are refused", () => {
  expect(() => sampleData({ sizes: { companies: 0 } })).toThrow("without companies")
  expect(() => sampleData({ sizes: { reports: -1 } })).toThrow("Cannot make -1 reports")
  expect(() => sampleData({ seed: 0.5 })).toThrow("no exact integer")
})

test("records are generated as they are read, so memory does not grow with size", () => {
  const endless = sampleData({ sizes: { tenements: 1e12, reports: 1e12 } })
  for (const records of [endless.tenements(), endless.reports()]) {
    const first = Iterator.from<object>(records).take(3).toArray()
    expect(first).toHaveLength(3)
  }
})

/** The sample data is the same on every machine, of the sizes asked for, and valid. */
import { expect, test } from "bun:test"
import { referenceDate } from "./dates.ts"
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

test("another seed gives another sample", () => {
  const other = sampleData({ seed: 1 })
  expect([...other.companies()]).not.toEqual(companies)
  expect([...other.tenements()]).not.toEqual(tenements)
  expect([...other.reports()]).not.toEqual(reports)
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

test("keys are unique, and every code that is referred to exists", () => {
  const codes = new Set(companies.map((company) => company.asx_code))
  expect(codes.size).toBe(companies.length)
  expect(new Set(subsidiaries.map(({ id }) => id)).size).toBe(subsidiaries.length)
  expect(new Set(tenements.map(({ id }) => id)).size).toBe(tenements.length)
  expect(new Set(reports.map(({ hash }) => hash)).size).toBe(reports.length)
  for (const { parent_asx_code } of subsidiaries) expect(codes).toContain(parent_asx_code)
  for (const { asx_code } of reports) expect(codes).toContain(asx_code)
})

test("tenement ids stay unique far beyond the default size", () => {
  const ids = new Set<string>()
  for (const { id } of sampleData({ sizes: { tenements: 200_000 } }).tenements()) ids.add(id)
  expect(ids.size).toBe(200_000)
})

test("records are generated as they are read, so memory does not grow with size", () => {
  const endless = sampleData({ sizes: { tenements: 1e12, reports: 1e12 } })
  for (const records of [endless.tenements(), endless.reports()]) {
    const first = Iterator.from<object>(records).take(3).toArray()
    expect(first).toHaveLength(3)
  }
})

test("every record keeps to the interface's types", () => {
  const text = expect.stringMatching(/^\S(.*\S)?$/)
  const day = /^\d{4}-\d{2}-\d{2}$/
  for (const company of companies) {
    expect(company.asx_code).toMatch(/^[A-Z0-9]{3,6}$/)
    expect(company.company_name).toEqual(text)
    const cap = company.market_cap_aud ?? 1
    expect(Number.isSafeInteger(cap) && cap > 0).toBe(true)
  }
  for (const { id, name, ownership_percentage: owned } of subsidiaries) {
    expect(id).toMatch(/^SUB-\d{6}$/)
    expect(name).toEqual(text)
    expect((owned ?? 1) > 0 && (owned ?? 1) <= 100).toBe(true)
  }
  for (const tenement of tenements) {
    expect(tenement.tenement_id).toMatch(/^[A-Z]+\d+\/\d+$/)
    expect(tenement.id).toBe(`${tenement.state}-${tenement.tenement_id.replace("/", "-")}`)
    expect(tenement.type).toMatch(/^[a-z]+( [a-z]+)*$/)
    expect(tenement.grant_date ?? referenceDate).toMatch(day)
    expect((tenement.grant_date ?? "") <= referenceDate).toBe(true)
    expect(tenement.expiry_date ?? referenceDate).toMatch(day)
    expect((tenement.expiry_date ?? "9") > (tenement.grant_date ?? "")).toBe(true)
    expect(tenement.area_km2 ?? 1).toBeGreaterThan(0)
    if (tenement.status === "pending") expect(tenement.grant_date).toBeNull()
    if (tenement.status === "granted") expect(tenement.grant_date).not.toBeNull()
  }
  for (const { hash, title, published_at, url } of reports) {
    expect(hash).toMatch(/^[0-9a-f]{32}$/)
    expect(title).toEqual(text)
    expect(`${new Date(published_at).toISOString().slice(0, 19)}Z`).toBe(published_at)
    expect(url).toBe(`https://example.com/announcements/${hash}.pdf`)
  }
})

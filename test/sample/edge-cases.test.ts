/** The sample data has the edge cases of real data, so that tests and demonstrations meet them. */
import { expect, test } from "bun:test"
import { referenceDate } from "./dates.ts"
import type { CompanyRecord, TenementRecord } from "./records.ts"
import { sampleData } from "./sample-data.ts"

const sample = sampleData()
const companies = [...sample.companies()]
const subsidiaries = [...sample.subsidiaries()]
const tenements = [...sample.tenements()]
const reports = [...sample.reports()]

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** Removes case, punctuation and the forms of LIMITED and PTY LTD, as linking must. */
function normalised(name: string): string {
  return name
    .toUpperCase()
    .replace(/[^\p{L}\p{N} ]/gu, "")
    .replace(/\bLIMITED\b/, "LTD")
}

const owners = new Map<string, Set<string>>()
function addOwner(name: string, code: string) {
  const key = normalised(name)
  owners.set(key, (owners.get(key) ?? new Set()).add(code))
}
for (const { company_name, asx_code } of companies) addOwner(company_name, asx_code)
for (const { name, parent_asx_code } of subsidiaries) addOwner(name, parent_asx_code)

function companiesOf({ holder_name }: TenementRecord): Set<string> {
  const names = holder_name?.split("; ") ?? []
  return new Set(names.flatMap((name) => [...(owners.get(normalised(name)) ?? [])]))
}

function expectEach<T>(records: readonly T[], kinds: Record<string, (record: T) => boolean>) {
  const missing = Object.entries(kinds).filter(([, holds]) => !records.some(holds))
  expect(missing.map(([kind]) => kind)).toEqual([])
}

test("companies have the edge cases of real ones", () => {
  expectEach<CompanyRecord>(companies, {
    "spells a missing value": ({ asx_code }) => asx_code === "NULL",
    "spells a boolean": ({ asx_code }) => asx_code === "TRUE",
    "begins with a digit": ({ asx_code }) => asx_code === "9X1",
    "reads as a number": ({ asx_code }) => asx_code === "1E5",
    "begins with a zero": ({ asx_code }) => asx_code === "007",
    "code of six": ({ asx_code }) => asx_code.length === 6,
    comma: ({ company_name }) => company_name.includes(","),
    ampersand: ({ company_name }) => company_name.includes("&"),
    apostrophe: ({ company_name }) => company_name.includes("'"),
    brackets: ({ company_name }) => /\(.+\)/.test(company_name),
    "trailing dot": ({ company_name }) => company_name.endsWith("."),
    "non-ASCII letter": ({ company_name }) => /[^ -~]/.test(company_name),
    "lower-case first": ({ company_name }) => /^[a-z]/.test(company_name),
    "digit first": ({ company_name }) => /^\d/.test(company_name),
    "upper case": ({ company_name }) => company_name === company_name.toUpperCase(),
    LIMITED: ({ company_name }) => / limited$/i.test(company_name),
    LTD: ({ company_name }) => / ltd$/i.test(company_name),
    NL: ({ company_name }) => / NL$/.test(company_name),
    PLC: ({ company_name }) => / plc$/i.test(company_name),
    "above 32 bits": ({ market_cap_aud }) => market_cap_aud === 250_000_000_000,
    smallest: ({ market_cap_aud }) => market_cap_aud === 1_200_000,
    suspended: ({ market_cap_aud, is_active }) => is_active && market_cap_aud === null,
    "no sector": ({ gics_sector }) => gics_sector === null,
    "neither Materials nor Energy": ({ gics_sector }) => gics_sector === "Industrials",
  })
  const names = companies.map(({ company_name }) => company_name)
  const folded = names.toSorted((a, b) => byBytes(a.toLowerCase(), b.toLowerCase()))
  expect(names.toSorted(byBytes)).not.toEqual(folded)
  const inactive = companies.filter(({ is_active }) => !is_active).length / companies.length
  expect(inactive).toBeWithin(0.1, 0.15)
})

test("subsidiaries are mostly Australian and wholly owned, and some have two parents", () => {
  for (const share of [51, 33.33, 0.5, null]) {
    expect(subsidiaries.some(({ ownership_percentage }) => ownership_percentage === share)).toBe(
      true,
    )
  }
  const at = (country: string) => subsidiaries.filter((s) => s.country === country).length
  expect(at("Australia") / subsidiaries.length).toBeWithin(0.8, 0.95)
  expect(at("Côte d'Ivoire")).toBeGreaterThan(0)
  const whole = subsidiaries.filter(({ ownership_percentage }) => ownership_percentage === 100)
  expect(whole.length / subsidiaries.length).toBeGreaterThan(0.6)
  expect([...owners.values()].some((codes) => codes.size === 2)).toBe(true)
})

test("tenements have the edge cases of real ones", () => {
  expect([...new Set(tenements.map(({ state }) => state))].sort()).toEqual([
    "NSW",
    "NT",
    "QLD",
    "SA",
    "TAS",
    "VIC",
    "WA",
  ])
  expectEach<TenementRecord>(tenements, {
    pending: ({ status }) => status === "pending",
    expired: ({ status }) => status === "expired",
    surrendered: ({ status }) => status === "surrendered",
    cancelled: ({ status }) => status === "cancelled",
    "general purpose": ({ type }) => type === "general purpose",
    miscellaneous: ({ type }) => type === "miscellaneous",
    retention: ({ type }) => type === "retention",
    "granted and past its expiry": ({ status, expiry_date }) =>
      status === "granted" && expiry_date !== null && expiry_date < referenceDate,
    "granted without an expiry": ({ status, expiry_date }) =>
      status === "granted" && expiry_date === null,
    "no area": ({ area_km2 }) => area_km2 === null,
    "no holder": ({ holder_name }) => holder_name === null,
    "two holders": ({ holder_name }) => holder_name?.split("; ").length === 2,
    "many holders": ({ holder_name }) => (holder_name?.split("; ").length ?? 0) > 4,
    person: ({ holder_name }) => /^SURNAME\d+, GIVEN\d+$/.test(holder_name ?? ""),
    "PTY. LIMITED": ({ holder_name }) => /PTY\. LIMITED/.test(holder_name ?? ""),
  })
})

test("six in ten tenements link to a company by normalised name, a third to the largest", () => {
  const held = new Map<string, number>()
  let linked = 0
  for (const tenement of tenements) {
    const codes = companiesOf(tenement)
    if (codes.size > 0) linked++
    for (const code of codes) held.set(code, (held.get(code) ?? 0) + 1)
  }
  expect(linked / tenements.length).toBeWithin(0.55, 0.68)
  const [largest] = [...held].sort(([, a], [, b]) => b - a)
  expect(largest?.[0]).toBe(companies[0]?.asx_code ?? "")
  expect(largest?.[1]).toBeGreaterThan(2000)
  expect(companies.some(({ asx_code }) => !held.has(asx_code))).toBe(true)
  const exact = new Set([
    ...companies.map((c) => c.company_name),
    ...subsidiaries.map((s) => s.name),
  ])
  const respelt = tenements.filter(
    (t) => companiesOf(t).size > 0 && !exact.has(t.holder_name ?? ""),
  )
  expect(respelt.length).toBeGreaterThan(1000)
  const nearMiss = tenements.filter((t) => / NOMINEES /.test(t.holder_name ?? ""))
  expect(nearMiss.some((t) => companiesOf(t).size === 0)).toBe(true)
})

test("reports span ten years to the reference date, with ties, odd titles and inactive companies", () => {
  const times = reports.map(({ published_at }) => published_at).sort()
  expect(times.at(0)).toStartWith("2016-07-01")
  expect(times.at(-1)).toStartWith(referenceDate)
  expect(new Set(times).size).toBeLessThan(reports.length * 0.8)
  const inactive = new Set(companies.filter((c) => !c.is_active).map((c) => c.asx_code))
  expectEach(reports, {
    "of an inactive company": ({ asx_code }) => inactive.has(asx_code),
    "=": ({ title }) => title.startsWith("="),
    "+": ({ title }) => title.startsWith("+"),
    "-": ({ title }) => title.startsWith("-"),
    "@": ({ title }) => title.startsWith("@"),
    quote: ({ title }) => title.includes('"'),
    comma: ({ title }) => title.includes(","),
    tab: ({ title }) => title.includes("\t"),
    percent: ({ title }) => title.includes("%"),
    underscore: ({ title }) => title.includes("_"),
    backslash: ({ title }) => title.includes("\\"),
    "non-ASCII": ({ title }) => /[^\t -~]/.test(title),
    "very long": ({ title }) => title.length > 500,
  })
  expect(reports.filter(({ title }) => /[\r\n]/.test(title))).toEqual([])
})

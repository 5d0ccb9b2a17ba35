/**
 * Invented records, awkward by hand, and what the interface must show of them. Which companies a
 * tenement belongs to is stated with it, so that no test computes a link the way the service does.
 */
import type {
  CompanyRecord,
  ReportRecord,
  SubsidiaryRecord,
  TenementRecord,
} from "../../src/sample/records.ts"
import { type SampleSizes, sampleData } from "../../src/sample/sample-data.ts"

export type CompanyFixture = CompanyRecord
export type ReportFixture = ReportRecord

export interface TenementFixture extends TenementRecord {
  /** The companies it belongs to; no field of the interface. */
  asx_codes: string[]
}

export interface Fixtures {
  companies: CompanyFixture[]
  tenements: TenementFixture[]
  subsidiaries: SubsidiaryRecord[]
  reports: ReportFixture[]
}

/** The records as JSON must show them, with the fields in the order of the interface's tables. */
export function shown({ companies, tenements, subsidiaries, reports }: Fixtures) {
  return {
    companies: companies.map((company) => ({
      asx_code: company.asx_code,
      company_name: company.company_name,
      market_cap_aud: company.market_cap_aud,
      gics_sector: company.gics_sector,
      gics_industry_group: company.gics_industry_group,
      total_tenements: tenementsOf(tenements, company.asx_code).length,
      is_active: company.is_active,
    })),
    tenements: tenements.map(({ asx_codes: _, ...tenement }) => tenement),
    subsidiaries,
    reports,
  }
}

export const tenementsOf = (tenements: readonly TenementFixture[], code: string) =>
  tenements.filter(({ asx_codes }) => asx_codes.includes(code))

const company = (
  asx_code: string,
  company_name: string,
  others: Partial<CompanyFixture> = {},
): CompanyFixture => ({
  asx_code,
  company_name,
  market_cap_aud: 1_000_000,
  gics_sector: "Materials",
  gics_industry_group: "Metals & Mining",
  is_active: true,
  ...others,
})

const tenement = (
  id: string,
  asx_codes: string[],
  others: Partial<TenementFixture> = {},
): TenementFixture => ({
  id,
  tenement_id: "E47/1234",
  state: "WA",
  status: "granted",
  type: "exploration",
  holder_name: "Aardvark Minerals Limited",
  grant_date: "2020-02-29",
  expiry_date: "2030-12-31",
  area_km2: 12.5,
  asx_codes,
  ...others,
})

const report = (
  hash: string,
  asx_code: string,
  published_at: string,
  title: string,
  type: string | null = "Quarterly Activities Report",
): ReportFixture => ({
  hash,
  asx_code,
  title,
  type,
  published_at,
  url: `https://example.com/${hash}.pdf`,
})

export const awkward: Fixtures = {
  companies: [
    company("BIG", "Big Ore, Limited", { market_cap_aud: 250_000_000_000 }),
    company("BI2", "Big Ore, limited", { market_cap_aud: 250_000_000_000 }),
    company("MAX", "Largest Exact", { market_cap_aud: Number.MAX_SAFE_INTEGER }),
    company("NIL", "Nil Worth", { market_cap_aud: 0, gics_sector: "energy" }),
    company("QUO", 'The "Quoted", Mine'),
    company("LFN", "Line\nFeed Resources", { gics_sector: "Energy" }),
    company("CRL", "Carriage\r\nReturn NL", { gics_sector: "ENERGY" }),
    company("TAB", "Tab\tSeparated\t\n Gold"),
    company("EQL", "=SUM(A1:A9)"),
    company("PLU", "+61 Metals"),
    company("MIN", "-Minus, Metals"),
    company("ATS", "@At Sign"),
    company("TBF", "\tTab First"),
    company("CRF", "\rCR First"),
    company("APO", "'Apostrophe First"),
    company("STR", "Straße Lithium", { gics_sector: "Métaux précieux" }),
    company("ANG", "ÅNGSTRÖM Uranium", { gics_sector: "MÉTAUX PRÉCIEUX" }),
    company("DEC", "Cafe\u0301 Copper"),
    company("SIG", "ΛΟΓΟΣΑ Gold"),
    company("IST", "İstanbul Silver"),
    company("AST", "😀 Rare Earths"),
    company("FWD", "Ｗide Letters"),
    company("PCT", "100% Nickel"),
    company("PC2", "1000 Nickel"),
    company("UND", "Under_score Iron"),
    company("UN2", "Underxscore Iron"),
    company("BSL", "Back\\slash Zinc"),
    company("DUP", "Same Name Ltd", { market_cap_aud: null }),
    company("DUQ", "SAME NAME LTD", { market_cap_aud: null }),
    company("DUR", "same name ltd", { gics_sector: null, gics_industry_group: null }),
    company("1E5", "Scientific Code"),
    company("007", "Leading Zeros"),
    company("NULL", "Null Code", { market_cap_aud: null, gics_sector: null }),
    company("OLDCO", "Old and Gone", { is_active: false, market_cap_aud: null }),
    company("OLD2", "old and gone too", { is_active: false }),
  ],
  tenements: [
    tenement("WA-E47-1234", ["BIG"]),
    tenement("WA-E47-1235", ["BIG", "QUO"], { holder_name: "Big Ore, Ltd; The Quoted Mine" }),
    tenement("wa-e47-1234", ["BIG"], { holder_name: "BIG ORE LIMITED", status: "Granted" }),
    tenement("NSW-EL-1", ["BIG"], { state: "NSW", status: "PENDING", grant_date: null }),
    tenement("QLD-EPM-9", ["STR"], { state: "QLD", type: "Mining Lease", area_km2: 0 }),
    tenement("VIC-1.5_~x", [], { state: "VIC", holder_name: "100%_OWNED \\ PTY LTD" }),
    tenement("SA-0", [], { state: "SA", holder_name: null, status: null, type: null }),
    tenement("TAS-00", ["OLDCO"], { state: "TAS", holder_name: '"Müller", Ægir', area_km2: null }),
    tenement("NT-1", ["OLDCO"], { state: "NT", expiry_date: null, area_km2: 1234567.891 }),
    tenement("NT-10", [], {
      state: "NT",
      tenement_id: "=E1/1",
      holder_name: "=1+1",
      area_km2: 1e-7,
    }),
    tenement("NT-2", ["SIG"], { state: "NT", holder_name: "λογος γη", status: "pending" }),
  ],
  subsidiaries: [
    { id: "s-1", name: "beta Holdings", parent_asx_code: "BIG", ...abroad("Chile", 51) },
    { id: "s-2", name: "Alpha Holdings", parent_asx_code: "BIG", ...abroad("Australia", 100) },
    { id: "s-10", name: "BETA HOLDINGS", parent_asx_code: "BIG", ...abroad(null, null) },
    { id: "S-1", name: "Beta Holdings", parent_asx_code: "BIG", ...abroad("Côte d'Ivoire", 33.33) },
    { id: "s-3", name: "=Formula, Inc", parent_asx_code: "BIG", ...abroad("-", 0) },
    { id: "s-4", name: "Orphan", parent_asx_code: "ZZZ", ...abroad("Australia", 0.5) },
    { id: "s-5", name: "Of the Old", parent_asx_code: "OLDCO", ...abroad("Australia", 100) },
  ],
  reports: [
    report("a1", "BIG", "2026-01-31T23:59:59Z", "Last second of January"),
    {
      ...report("a2", "BIG", "2026-02-01T00:00:00Z", "First second of February"),
      url: `https://example.com/announcement?display=pdf&signature=${"0123456789abcdef".repeat(20)}`,
    },
    report("a3", "BIG", "2026-02-01T00:00:00Z", "Same second, other hash", "Drilling; Assays"),
    report("A3", "big".toUpperCase(), "2026-02-01T00:00:00Z", "Same second again", "ASSAYS"),
    report("a4", "QUO", "2024-02-29T12:00:00Z", "=HYPERLINK(1)", "drilling"),
    report("a5", "STR", "2026-02-01T12:30:00Z", 'Tabs\tand "quotes",\r\nand lines', null),
    report("a6", "STR", "1999-12-31T23:59:59Z", "50% of_all \\ ÄRZTE", "Half; Year; Half"),
    report("a7", "GONE", "2000-01-01T00:00:00Z", "Of no company", "Assays and more"),
    { ...report("a8", "BIG", "2026-03-01T00:00:00Z", "Without address"), url: null },
    report("a9", "NULL", "2026-02-28T23:59:59Z", "Last second of February", "Ärzte; Drilling"),
    report("b-._~0", "1E5", "2026-02-28T00:00:00Z", "- starts with a dash", "-; +"),
  ],
}

function abroad(country: string | null, ownership_percentage: number | null) {
  return { country, ownership_percentage }
}

/** Generated records where volume is needed; every third tenement belongs to no company. */
export function sampleFixtures(sizes: SampleSizes): Fixtures {
  const sample = sampleData({ sizes })
  const companies = [...sample.companies()]
  return {
    companies,
    tenements: [...sample.tenements()].map((record, index) => {
      const owner = companies[(index * 7) % Math.min(companies.length, 5)]
      return { ...record, asx_codes: index % 3 && owner ? [owner.asx_code] : [] }
    }),
    subsidiaries: [...sample.subsidiaries()],
    reports: [...sample.reports()],
  }
}

export const none: Fixtures = { companies: [], tenements: [], subsidiaries: [], reports: [] }

/** So many reports and nothing else, all with one title. */
export function reportsOfTitle(title: string, count: number): Fixtures {
  const reports = Array.from({ length: count }, (_, index) => ({
    hash: String(index).padStart(2, "0"),
    asx_code: "BIG",
    title,
    type: null,
    published_at: "2026-01-01T00:00:00Z",
    url: null,
  }))
  return { ...none, reports }
}

/**
 * Sample data: an invented market with the structure of the real one, for a first start, for tests and,
 * at larger sizes, for benchmarks. Every company, subsidiary, holder, tenement and announcement is
 * generated from syllables and numbers; any resemblance to a real one is coincidental. The same sizes
 * give the same records on every machine.
 */
import { makeCompanies, makeSubsidiaries } from "./companies.ts"
import { holderPicker } from "./names.ts"
import { Random } from "./random.ts"
import type { CompanyRecord, ReportRecord, SubsidiaryRecord, TenementRecord } from "./records.ts"
import { makeReports } from "./reports.ts"
import { makeTenements } from "./tenements.ts"

export interface SampleSizes {
  companies: number
  tenements: number
  subsidiaries: number
  reports: number
}

export const sampleSizes: Readonly<SampleSizes> = {
  companies: 300,
  tenements: 6000,
  subsidiaries: 900,
  reports: 20_000,
}

export interface SampleData {
  companies(): Iterable<CompanyRecord>
  subsidiaries(): Iterable<SubsidiaryRecord>
  /** Streamed, like reports. Each call starts from the beginning and yields the same records. */
  tenements(): Iterable<TenementRecord>
  reports(): Iterable<ReportRecord>
}

/** Each resource has draws of its own. */
const seeds = { companies: 1, subsidiaries: 2, holders: 3, tenements: 4, reports: 5 }

/** @throws RangeError if records would have no company to belong to */
export function sampleData(options: { sizes?: Partial<SampleSizes> } = {}): SampleData {
  const sizes = { ...sampleSizes, ...options.sizes }
  if (sizes.companies === 0 && sizes.subsidiaries + sizes.reports > 0) {
    throw new RangeError("Cannot make subsidiaries or reports of sample data without companies")
  }
  const taken = new Set<string>()
  const companies = makeCompanies(new Random(seeds.companies), sizes.companies, taken)
  const random = new Random(seeds.subsidiaries)
  const subsidiaries = makeSubsidiaries(random, companies, sizes.subsidiaries, taken)
  // Every fourth company holds nothing under a name of its own.
  const linked = [...companies.filter((_, index) => index % 4 !== 3), ...subsidiaries]
  const names = linked.map(({ name }) => name)
  const pickHolders = holderPicker(new Random(seeds.holders), names, taken)
  return {
    companies: () => copies(companies),
    subsidiaries: () => copies(subsidiaries),
    tenements: () => makeTenements(new Random(seeds.tenements), sizes.tenements, pickHolders),
    reports: () => makeReports(new Random(seeds.reports), sizes.reports, companies),
  }
}

/** Copies, so that a reader that changes a record does not change the sample. */
function* copies<T extends object>(entries: readonly { record: T }[]): Generator<T> {
  for (const { record } of entries) yield { ...record }
}

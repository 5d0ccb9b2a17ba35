/**
 * Sample data: an invented market in the shape of the real one, its awkwardness included, for a
 * first start, for tests and, at larger sizes, for benchmarks. Every company, subsidiary, holder,
 * tenement and announcement is made up from syllables and numbers; a likeness to a real one is
 * chance. The same seed and sizes give the same records on every machine.
 */
import { type Company, makeCompanies } from "./companies.ts"
import { type Holders, makeHolders } from "./holders.ts"
import { Random } from "./random.ts"
import type { CompanyRecord, ReportRecord, SubsidiaryRecord, TenementRecord } from "./records.ts"
import { makeReports } from "./reports.ts"
import { makeSubsidiaries, type Subsidiary } from "./subsidiaries.ts"
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
  /** Streamed, as reports are. Each call begins anew and gives the same records. */
  tenements(): Iterable<TenementRecord>
  reports(): Iterable<ReportRecord>
}

/** Taken from among many because none of its codes was a listed company's when it was chosen. */
const defaultSeed = 1581

/** Throws RangeError where a size is no count, or where records would have no company to belong to. */
export function sampleData(
  options: { seed?: number; sizes?: Partial<SampleSizes> } = {},
): SampleData {
  const seed = options.seed ?? defaultSeed
  const sizes = { ...sampleSizes, ...options.sizes }
  checkSizes(sizes)
  const { companies, subsidiaries, holders } = makeMarket(seed, sizes)
  return {
    companies: () => copies(companies),
    subsidiaries: () => copies(subsidiaries),
    tenements: () => makeTenements(new Random(seed, "tenements"), sizes.tenements, holders),
    reports: () => makeReports(new Random(seed, "reports"), sizes.reports, companies),
  }
}

function checkSizes(sizes: SampleSizes): void {
  for (const [name, size] of Object.entries(sizes)) {
    if (!Number.isSafeInteger(size) || size < 0) {
      throw new RangeError(`Cannot make ${size} ${name} of sample data`)
    }
  }
  if (sizes.companies === 0 && sizes.subsidiaries + sizes.reports > 0) {
    throw new RangeError("Cannot make subsidiaries or reports of sample data without companies")
  }
}

/** What is kept in memory: the names that tenements and reports refer to. */
function makeMarket(
  seed: number,
  sizes: SampleSizes,
): { companies: Company[]; subsidiaries: Subsidiary[]; holders: Holders } {
  const taken = new Set<string>()
  const companies = makeCompanies(new Random(seed, "companies"), sizes.companies, taken)
  const subsidiaries = makeSubsidiaries(
    new Random(seed, "subsidiaries"),
    companies,
    sizes.subsidiaries,
    taken,
  )
  const random = new Random(seed, "holders")
  const holders = makeHolders(random, companies, subsidiaries, sizes.tenements, taken)
  return { companies, subsidiaries, holders }
}

/** Copies, so that a reader that changes a record does not change the sample. */
function* copies<T extends object>(entries: readonly { record: T }[]): Generator<T> {
  for (const { record } of entries) yield { ...record }
}

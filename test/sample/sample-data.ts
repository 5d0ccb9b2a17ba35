/**
 * Sample data: an invented market with the structure and the edge cases of the real one, for a
 * first start, for tests and, at larger sizes, for benchmarks. Every company, subsidiary, holder,
 * tenement and announcement is generated from syllables and numbers; any resemblance to a real one
 * is coincidental. The same seed and sizes give the same records on every machine.
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
  /** Streamed, like reports. Each call starts from the beginning and yields the same records. */
  tenements(): Iterable<TenementRecord>
  reports(): Iterable<ReportRecord>
}

/** Chosen because none of its codes was that of a listed company at the time. */
const defaultSeed = 1581

/** @throws RangeError if a size is not a count, or records would have no company to belong to */
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

/** The part that is kept in memory: the names that tenements and reports refer to. */
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

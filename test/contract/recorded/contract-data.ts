/**
 * The data of the recorded requests: a small sample in several releases, of one kind of record each, with changes,
 * removals, and names and titles that each format writes in its own way. It stays as it is: the dump that 1.0.0 made
 * of it, in `upgrade`, gets the same responses.
 */
import postgres from "postgres"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { loadSample } from "../../../src/sample/load-sample.ts"
import { type SampleData, sampleData } from "../../../src/sample/sample-data.ts"
import type { Contents } from "../../support/postgres.ts"
import { withAccounts } from "../../support/service.ts"

/** The time at which a service on this data responds as recorded. */
export const contractTime = new Date("2026-07-01T00:00:00.250Z")

export const contractData: Contents = {
  name: "contract_data",
  base: withAccounts,
  fill: async (url) => {
    for (const [index, sample] of [first, second, third].entries()) {
      const observed = `2026-06-${15 + index * 4}`
      await loadSample(sample, { url, observed, removeMissingNow: index > 0, progress: silent })
    }
    await dateReleases(url)
    return undefined
  },
}

/** Loads date releases by the clock. */
async function dateReleases(url: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    await sql`update releases
      set published_at = '2026-06-15T18:00:00Z'::timestamptz + id * interval '1 day'`
    await sql`update sources set last_changed_at = published_at, last_loaded_at = published_at
      from releases where id = last_release`
  } finally {
    await sql.end({ timeout: 1 })
  }
}

const first = sampleData({
  sizes: { companies: 64, subsidiaries: 40, tenements: 240, reports: 260 },
})

/** A generator that yields each record as `edit` returns it, without those for which that is null, then others. */
const edited =
  <T>(records: () => Iterable<T>, edit: (record: T, index: number) => T | null, more: T[] = []) =>
  (): T[] => [...[...records()].map(edit).filter((record) => record !== null), ...more]

const second: SampleData = {
  companies: edited(first.companies, (company, index) => {
    // Becomes inactive.
    if (index === 9) return null
    if (index === 2) return { ...company, company_name: "RENAMED & ÉTOILE RESOURCES LIMITED" }
    if (index === 4) return { ...company, company_name: '=HYPERLINK("A", 1) MINES NL' }
    return index % 10 === 0 ? { ...company, market_cap_aud: 5_000_000 + index } : company
  }),
  // The tenements of the removed one lose a link.
  subsidiaries: edited(first.subsidiaries, (subsidiary, index) => {
    if (index === 2) return null
    return index === 3
      ? { ...subsidiary, ownership_percentage: 66.6, country: "Chile" }
      : subsidiary
  }),
  tenements: edited(
    first.tenements,
    (tenement, index) => {
      if (index % 80 === 7) return null
      if (index === 20) return { ...tenement, holder_name: '-"QUOTED", HOLDER\tPTY LTD' }
      if (index === 21) return { ...tenement, holder_name: null, status: null, type: null }
      if (index % 30 === 1) return { ...tenement, status: "surrendered" }
      if (index % 30 === 2) return { ...tenement, expiry_date: "2027-02-28", area_km2: 0 }
      // Another shape too.
      if (index % 30 === 4) return { ...tenement, type: "miscellaneous" }
      return tenement
    },
    [
      {
        id: "WA-E99-1",
        tenement_id: "E99/1",
        state: "WA",
        status: "granted",
        type: "exploration",
        holder_name: "RENAMED & ÉTOILE RESOURCES LTD",
        grant_date: "2026-06-01",
        expiry_date: "2031-05-31",
        area_km2: 12.5,
      },
    ],
  ),
  reports: edited(
    first.reports,
    (report, index) => {
      if (index === 50) return null
      if (index === 100) return { ...report, title: '+Quoted "title", with a comma & <tag>' }
      return index === 101 ? { ...report, type: "Mineral Resource" } : report
    },
    [
      {
        hash: "0123456789abcdef0123456789abcdef",
        asx_code: "QQ0",
        title: "@Ätzend:\tdrill results,\nin two lines",
        type: "Progress Report; Assays",
        published_at: "2026-06-30T22:30:00Z",
        url: null,
      },
    ],
  ),
}

const third: SampleData = {
  ...second,
  tenements: edited(second.tenements, (tenement, index) => {
    if (index === 40) return null
    return index % 30 === 1 ? { ...tenement, status: "granted" } : tenement
  }),
}

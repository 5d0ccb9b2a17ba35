/**
 * The records of every example in the description. None of them exists. A test publishes exactly
 * these and compares each example with what the service answers.
 */

import type { Release } from "../db/reader/releases.ts"
import { entityTag } from "../http/entity-tag.ts"
import { type ResourceRecord, resourceNames } from "../resources/resource.ts"
import { hourMs } from "../text/durations.ts"

const releaseCounts = Object.fromEntries(
  resourceNames.flatMap((name) =>
    ["added", "changed", "removed"].map((kind) => [`${name}_${kind}`, 0]),
  ),
)

const minerals = {
  asx_code: "XMR",
  company_name: "EXAMPLE MINERALS LIMITED",
  market_cap_aud: 4_815_000_000,
  gics_sector: "Materials",
  gics_industry_group: "Materials",
  total_tenements: 2,
  is_active: true,
} as const

const granted = {
  id: "WA-E47-9001",
  tenement_id: "E47/9001",
  state: "WA",
  status: "granted",
  type: "exploration",
  holder_name: "EXAMPLE GOLD PTY LTD",
  grant_date: "2021-05-17",
  expiry_date: "2031-05-16",
  area_km2: 212.75,
} as const

const drilling = {
  hash: "0f4c2d1e8b7a69583746251403f2e1d0",
  asx_code: "XMR",
  title: "Drilling extends Example Hill, and a new lode",
  type: "Progress report; Assays",
  published_at: "2026-02-03T22:41:07Z",
  url: "https://example.com/announcements/0f4c2d1e8b7a69583746251403f2e1d0.pdf",
} as const

const first = "2026-01-30T18:00:00Z"
const second = "2026-02-15T18:00:00Z"

const madeByOne = {
  since_release: 1,
  since: first,
  until_release: 2,
  until: second,
  source: "sample",
  files: "sample.ndjson",
  changed: null,
} as const

const madeByTwo = {
  since_release: 2,
  since: second,
  until_release: null,
  until: null,
  source: "wa",
  files: "CurrentTenements.csv",
} as const

/** The records of each list, in its order. */
export const exampleRecords = {
  companies: [
    {
      asx_code: "XEN",
      company_name: "EXAMPLE ENERGY LIMITED",
      market_cap_aud: null,
      gics_sector: "Energy",
      gics_industry_group: "Energy",
      total_tenements: 0,
      is_active: true,
    },
    minerals,
  ],
  tenements: [
    {
      id: "QLD-EPM-90001",
      tenement_id: "EPM 90001",
      state: "QLD",
      status: "pending",
      type: "exploration",
      holder_name: "EXAMPLE GOLD PTY LTD; EXAMPLE MINERALS LIMITED",
      grant_date: null,
      expiry_date: null,
      area_km2: 96.4,
    },
    granted,
  ],
  subsidiaries: [
    {
      id: "XMR-EXAMPLE-COPPER-SPA",
      name: "EXAMPLE COPPER SPA",
      parent_asx_code: "XMR",
      country: "Chile",
      ownership_percentage: 62.5,
    },
    {
      id: "XMR-EXAMPLE-GOLD-PTY-LTD",
      name: "EXAMPLE GOLD PTY LTD",
      parent_asx_code: "XMR",
      country: "Australia",
      ownership_percentage: 100,
    },
  ],
  reports: [
    drilling,
    {
      hash: "7d9b8a6c5e4f30212f3e4d5c6b7a8990",
      asx_code: "XEN",
      title: "Quarterly activities report",
      type: "Quarterly activities report",
      published_at: "2026-01-29T21:05:00Z",
      url: null,
    },
  ],
  "company-versions": [
    {
      ...madeByTwo,
      changed: "total_tenements",
      ...minerals,
    },
    {
      ...madeByOne,
      ...minerals,
      total_tenements: 1,
    },
  ],
  "tenement-versions": [
    {
      ...madeByTwo,
      changed: "status; grant_date; expiry_date",
      ...granted,
    },
    {
      ...madeByOne,
      ...granted,
      status: "pending",
      grant_date: null,
      expiry_date: null,
    },
  ],
  "report-versions": [
    {
      ...madeByOne,
      until_release: null,
      until: null,
      ...drilling,
    },
  ],
  releases: [
    {
      id: 2,
      published_at: second,
      source: "wa",
      ...releaseCounts,
      companies_changed: 1,
      tenements_added: 1,
      tenements_changed: 1,
    },
    {
      id: 1,
      published_at: first,
      source: "sample",
      ...releaseCounts,
      companies_added: 2,
      tenements_added: 1,
      subsidiaries_added: 2,
      reports_added: 2,
    },
  ],
  sources: [
    {
      source: "asx-directory",
      resource: "companies",
      licence: null,
      attribution: null,
      address: null,
      last_fetched_at: null,
      last_loaded_at: "2026-02-16T02:00:00Z",
      last_outcome: "unchanged",
      last_observed_at: "2026-02-16T02:00:00Z",
      last_changed_at: first,
      last_release: 1,
      records: 2,
      missing: 0,
      rejected: 0,
      unknown_values: 0,
      linked_percentage: null,
    },
    {
      source: "wa",
      resource: "tenements",
      licence: "CC BY 4.0",
      attribution: null,
      address: "https://example.com/files/CurrentTenements.csv",
      last_fetched_at: "2026-02-16T02:00:00Z",
      last_loaded_at: second,
      last_outcome: "published",
      last_observed_at: "2026-02-15T00:00:00Z",
      last_changed_at: second,
      last_release: 2,
      records: 2,
      missing: 0,
      rejected: 1,
      unknown_values: 3,
      linked_percentage: 100,
    },
  ],
} as const satisfies Record<string, readonly ResourceRecord[]>

/** The release that the examples show. */
export const exampleRelease: Release = {
  id: 2,
  publishedAt: Date.parse(second) / 1000,
  identity: "6f1c1f3e-52a7-4f0b-9b8e-2d9a64b0c7f1",
}

/** The entity tag of the list of companies at that release. */
export const exampleTag = entityTag(exampleRelease, "/api/v1/companies?", "json")

/** When the examples were asked for, by an account that had made no request before. */
export const exampleNow = new Date("2026-02-16T09:30:00Z")

/** The key in the path of each resource's examples. */
export const exampleKeys = {
  companies: "XMR",
  tenements: "WA-E47-9001",
  reports: "0f4c2d1e8b7a69583746251403f2e1d0",
} as const

/** Undefined where no path has its key. */
export const exampleKeyOf = ({ name }: { name: string }): string | undefined =>
  new Map<string, string>(Object.entries(exampleKeys)).get(name)

export const exampleUsage = {
  plan: "standard",
  limit: 1_000,
  used: 0,
  remaining: 1_000,
  reset_at: Date.parse("2026-02-16T10:30:00Z") / 1000,
  requests_per_hour: Array.from({ length: 24 }, (_, index) => ({
    hour: hourBefore(23 - index),
    requests: 0,
  })),
}

function hourBefore(hours: number): string {
  const startMs = Math.floor(exampleNow.getTime() / hourMs) * hourMs - hours * hourMs
  return `${new Date(startMs).toISOString().slice(0, 19)}Z`
}

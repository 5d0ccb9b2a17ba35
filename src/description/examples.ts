/**
 * The records of every example in the description. None of them exists. A test publishes exactly
 * these and compares each example with what the service answers.
 */
import type { Release } from "../db/reader/releases.ts"
import type { ResourceRecord } from "../resources/resource.ts"

const releaseCounts = {
  companies_added: 0,
  companies_changed: 0,
  companies_removed: 0,
  tenements_added: 0,
  tenements_changed: 0,
  tenements_removed: 0,
  subsidiaries_added: 0,
  subsidiaries_changed: 0,
  subsidiaries_removed: 0,
  reports_added: 0,
  reports_changed: 0,
  reports_removed: 0,
}

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
    {
      asx_code: "XMR",
      company_name: "EXAMPLE MINERALS LIMITED",
      market_cap_aud: 4_815_000_000,
      gics_sector: "Materials",
      gics_industry_group: "Materials",
      total_tenements: 2,
      is_active: true,
    },
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
    {
      id: "WA-E47-9001",
      tenement_id: "E47/9001",
      state: "WA",
      status: "granted",
      type: "exploration",
      holder_name: "EXAMPLE GOLD PTY LTD",
      grant_date: "2021-05-17",
      expiry_date: "2031-05-16",
      area_km2: 212.75,
    },
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
    {
      hash: "0f4c2d1e8b7a69583746251403f2e1d0",
      asx_code: "XMR",
      title: "Drilling extends Example Hill, and a new lode",
      type: "Progress report; Assays",
      published_at: "2026-02-03T22:41:07Z",
      url: "https://example.com/announcements/0f4c2d1e8b7a69583746251403f2e1d0.pdf",
    },
    {
      hash: "7d9b8a6c5e4f30212f3e4d5c6b7a8990",
      asx_code: "XEN",
      title: "Quarterly activities report",
      type: "Quarterly activities report",
      published_at: "2026-01-29T21:05:00Z",
      url: null,
    },
  ],
  releases: [
    {
      id: 2,
      published_at: "2026-02-15T18:00:00Z",
      source: "asx-announcements",
      ...releaseCounts,
      reports_added: 1,
    },
    {
      id: 1,
      published_at: "2026-01-30T18:00:00Z",
      source: "sample",
      ...releaseCounts,
      companies_added: 2,
      tenements_added: 2,
      subsidiaries_added: 2,
      reports_added: 1,
    },
  ],
} as const satisfies Record<string, readonly ResourceRecord[]>

/** The release that the examples show. */
export const exampleRelease: Release = {
  id: 2,
  publishedAt: Date.parse("2026-02-15T18:00:00Z") / 1000,
}

/** When the examples were asked for, by an account that had made no request before. */
export const exampleNow = new Date("2026-02-16T09:30:00Z")

/** The key in the path of each resource's examples. */
export const exampleKeys = {
  companies: "XMR",
  tenements: "WA-E47-9001",
  reports: "0f4c2d1e8b7a69583746251403f2e1d0",
} as const

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
  const hourMs = 3_600_000
  const startMs = Math.floor(exampleNow.getTime() / hourMs) * hourMs - hours * hourMs
  return `${new Date(startMs).toISOString().slice(0, 19)}Z`
}

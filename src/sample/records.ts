/**
 * The four resources' own columns, as sample data is loaded. `total_tenements` is not among them, as the
 * service computes it. An unknown value is null.
 */

import type { State } from "../data/db/schema.ts"

export interface CompanyRecord {
  asx_code: string
  company_name: string
  market_cap_aud: number | null
  gics_sector: string | null
  gics_industry_group: string | null
  is_active: boolean
}

export interface SubsidiaryRecord {
  id: string
  name: string
  parent_asx_code: string
  country: string | null
  /** 0 to 100. */
  ownership_percentage: number | null
}

export interface TenementRecord {
  id: string
  tenement_id: string
  state: State
  status: string | null
  type: string | null
  /** Several holders are written `A; B`. */
  holder_name: string | null
  /** `YYYY-MM-DD`, as is the expiry. */
  grant_date: string | null
  expiry_date: string | null
  area_km2: number | null
}

export interface ReportRecord {
  hash: string
  asx_code: string
  title: string
  type: string | null
  /** `YYYY-MM-DDTHH:MM:SSZ`. */
  published_at: string
  url: string | null
}

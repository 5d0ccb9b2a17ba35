/**
 * The four resources' own columns, as sample data is loaded. `total_tenements` is not
 * among them, as the service computes it. An unknown value is null.
 */

export type State = "WA" | "NSW" | "QLD" | "VIC" | "SA" | "TAS" | "NT"

export interface CompanyRecord {
  asx_code: string
  company_name: string
  /** Whole Australian dollars, up to 250 billion; null while trading is suspended. */
  market_cap_aud: number | null
  gics_sector: string | null
  gics_industry_group: string | null
  is_active: boolean
}

export interface SubsidiaryRecord {
  id: string
  name: string
  parent_asx_code: string
  country: string
  /** 0 to 100. */
  ownership_percentage: number | null
}

export interface TenementRecord {
  /** Safe in a path, such as `WA-E47-1234`. */
  id: string
  /** Type letters, a number, a slash and a number, such as `E47/1234`. */
  tenement_id: string
  state: State
  status: string
  type: string
  /** Several holders are written `A; B`. */
  holder_name: string | null
  /** `YYYY-MM-DD`, as is the expiry. */
  grant_date: string | null
  expiry_date: string | null
  area_km2: number | null
}

export interface ReportRecord {
  /** 32 lower-case hexadecimal digits. */
  hash: string
  asx_code: string
  title: string
  type: string
  /** `YYYY-MM-DDTHH:MM:SSZ`. */
  published_at: string
  url: string
}

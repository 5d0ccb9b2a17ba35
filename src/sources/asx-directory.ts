/**
 * The ASX directory of listed companies. Today's export has five columns; that of ten
 * years ago had three, after a banner and a blank line. It lists companies of every sector; this
 * service lists resource companies, so the others are left out, unless they were resource companies
 * when an earlier directory was loaded: those are still listed, in another sector.
 */
import { companies } from "../resources/companies.ts"
import { classify } from "./gics.ts"
import type { RawRecord, Source } from "./source.ts"

const resourceSectors: readonly (string | null)[] = ["Materials", "Energy"]

/** What the directory writes for no market capitalisation. */
const noMarketCap = new Set(["", "--", "SUSPENDED"])

export const asxDirectory: Source = {
  name: "asx-directory",
  description: "the ASX directory of listed companies, as exported in CSV",
  resource: companies,
  columns: {
    required: ["ASX code", "Company name", "GICS industry group"],
    optional: ["Listing date", "Market Cap"],
    others: "refuse",
  },
  banner: /^ASX listed companies as at /i,
  complete: true,
  whenMissing: { setFalse: "is_active" },
  map: (raw, { allSectors }) => {
    const { sector, industryGroup, isUnknown } = classify(textOf(raw, "GICS industry group"))
    const isResourceCompany = resourceSectors.includes(sector)
    return {
      record: {
        asx_code: textOf(raw, "ASX code"),
        company_name: textOf(raw, "Company name"),
        market_cap_aud: marketCap(textOf(raw, "Market Cap")),
        gics_sector: sector,
        gics_industry_group: industryGroup,
        is_active: true,
      },
      ...(isUnknown ? { warnings: [`unknown industry group "${industryGroup}"`] } : {}),
      ...(isResourceCompany || allSectors ? {} : { onlyIfStored: "other sectors" }),
    }
  },
}

const textOf = (raw: RawRecord, column: string): string => String(raw[column] ?? "").trim()

const marketCap = (written: string): string | null =>
  noMarketCap.has(written.toUpperCase()) ? null : written

/**
 * The ASX directory of listed companies. Today's export has five columns; that of ten
 * years ago had three, after a banner and a blank line. It lists companies of every sector; this
 * service lists resource companies, so the others are left out, unless they were resource companies
 * when an earlier directory was loaded: those are still listed, in another sector.
 */
import { companies } from "../resources/companies.ts"
import { cellText, marketCapOf } from "./asx-cells.ts"
import { classify, isResourceSector } from "./gics.ts"
import type { Source } from "./source.ts"

export const asxDirectory: Source = {
  name: "asx-directory",
  description: "the ASX directory of listed companies, as exported in CSV",
  resource: companies,
  columns: {
    required: ["ASX code", "Company name", "GICS industry group"],
    optional: ["Listing date", "Market Cap"],
    others: "report",
  },
  banner: /^ASX listed companies as at /i,
  complete: true,
  whenMissing: { setFalse: "is_active" },
  fromOptional: { market_cap_aud: ["Market Cap"] },
  map: (raw, { allSectors }) => {
    const { sector, industryGroup, isUnknown } = classify(cellText(raw, "GICS industry group"))
    return {
      record: {
        asx_code: cellText(raw, "ASX code"),
        company_name: cellText(raw, "Company name"),
        market_cap_aud: marketCapOf(raw),
        gics_sector: sector,
        gics_industry_group: industryGroup,
        is_active: true,
      },
      ...(isUnknown ? { warnings: [`unknown industry group "${industryGroup}"`] } : {}),
      ...(allSectors || isResourceSector(sector) ? {} : { onlyIfStored: "other sectors" }),
    }
  },
}

/**
 * The ASX directory of listed companies. Today's export has five columns; that of ten years ago had three,
 * after a banner and a blank line. It lists companies of every sector. A load leaves out companies that are
 * not resource companies, unless an earlier load stored them as such: they are still listed, in another
 * sector.
 */
import { companies } from "../../data/resources/companies.ts"
import { isCalendarDate } from "../../system/text/calendar-date.ts"
import { cellText, companyOf } from "./asx-company.ts"
import { classify } from "./gics.ts"
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
  bannerDate: (banner) => {
    const [, day, year] = /as at \w+ (\w+ \d+) .*\b(\d{4})\W*$/i.exec(banner) ?? []
    const time = Date.parse(`${day} ${year} UTC`)
    return Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10)
  },
  complete: true,
  deactivatesMissing: true,
  fromOptional: { market_cap_aud: ["Market Cap"], listing_date: ["Listing date"] },
  map: (raw, options) => {
    const { sector, industryGroup, isUnknown } = classify(cellText(raw, "GICS industry group"))
    const listed = cellText(raw, "Listing date")
    const listingDate = listed.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$2-$1")
    const warnings = [
      ...(isUnknown ? [`unknown industry group "${industryGroup}"`] : []),
      ...(listed === "" || isCalendarDate(listingDate) ? [] : [`unknown listing date "${listed}"`]),
    ]
    const fields = {
      gics_sector: sector,
      gics_industry_group: industryGroup,
      listing_date: isCalendarDate(listingDate) ? listingDate : null,
    }
    return companyOf(raw, { code: "ASX code", name: "Company name" }, fields, warnings, options)
  },
}

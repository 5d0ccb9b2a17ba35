/**
 * The ASX directory of listed companies. Today's export has five columns; that of ten years ago had three,
 * after a banner and a blank line. It lists companies of every sector. A load leaves out companies that are
 * not resource companies, unless an earlier load stored them as such: they are still listed, in another
 * sector.
 */
import { companies } from "../../data/resources/companies.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"
import { isCalendarDate } from "../../system/text/calendar-date.ts"
import { classify, isResourceSector } from "./gics.ts"
import type { RawRecord, Source } from "./source.ts"

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
  map: (raw, { allSectors, storedName }) => {
    const code = cellText(raw, "ASX code")
    const { sector, industryGroup, isUnknown } = classify(cellText(raw, "GICS industry group"))
    const listed = cellText(raw, "Listing date")
    const listingDate = listed.replace(/^(\d\d)\/(\d\d)\/(\d{4})$/, "$3-$2-$1")
    return {
      record: {
        asx_code: code,
        // The exchange leaves names blank for days: the last name stays. A company without one has its code.
        company_name: cellText(raw, "Company name") || storedName?.(asxCodeFromText(code)) || code,
        market_cap_aud: marketCapOf(raw),
        gics_sector: sector,
        gics_industry_group: industryGroup,
        listing_date: isCalendarDate(listingDate) ? listingDate : null,
        is_active: true,
      },
      warnings: [
        ...(isUnknown ? [`unknown industry group "${industryGroup}"`] : []),
        ...(listed === "" || isCalendarDate(listingDate)
          ? []
          : [`unknown listing date "${listed}"`]),
      ],
      ...(allSectors || isResourceSector(sector) ? {} : { onlyIfStored: "other sectors" }),
    }
  },
}

/** A cell's text without surrounding blanks; empty where there is none. */
const cellText = (raw: RawRecord, column: string): string => String(raw[column] ?? "").trim()

/** Cells of a company without a market capitalisation. */
const noMarketCap = new Set(["", "-", "--", "N/A", "SUSPENDED"])

/**
 * `1529190000` or `1,529,190,000`, also after `$` or `A$`; null where there is none. With commas
 * elsewhere than between thousands, validation rejects the row.
 */
function marketCapOf(raw: RawRecord): string | null {
  const written = cellText(raw, "Market Cap")
  if (noMarketCap.has(written.toUpperCase())) return null
  const amount = written.replace(/^A?\$ ?(?=\d)/i, "")
  return /^\d{1,3}(,\d{3})+$/.test(amount) ? amount.replaceAll(",", "") : amount
}

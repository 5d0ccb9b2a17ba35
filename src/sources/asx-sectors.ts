/**
 * A list of an index's companies with their GICS sectors. It says of a company less than the
 * directory does: no industry group, and nothing of companies outside the index. So it gives way to
 * the directory and to a companies file: a company that one of these holds is left out here, and
 * theirs replaces this one's. And since leaving an index is not leaving the exchange, it adds and
 * changes only.
 */
import { companies } from "../resources/companies.ts"
import { asxDirectory } from "./asx-directory.ts"
import { isSector } from "./gics.ts"
import { ownCompanies } from "./own-columns.ts"
import type { RawRecord, Source } from "./source.ts"

const resourceSectors = ["Materials", "Energy"]

export const asxSectors: Source = {
  name: "asx-sectors",
  description:
    "a list of an ASX index's companies with their sectors, as CSV; adds and changes only",
  resource: companies,
  columns: {
    required: ["Code", "Company", "Sector", "Market Cap"],
    optional: ["Weight(%)"],
    others: "refuse",
  },
  complete: false,
  whenMissing: { setFalse: "is_active" },
  yieldsTo: { sources: [asxDirectory.name, ownCompanies.name], mayAdd: false },
  map: (raw, { allSectors }) => {
    const sector = textOf(raw, "Sector")
    const isKnown = sector === "" || isSector(sector)
    return {
      record: {
        asx_code: textOf(raw, "Code"),
        company_name: textOf(raw, "Company"),
        market_cap_aud: marketCap(textOf(raw, "Market Cap")),
        gics_sector: isKnown ? sector : null,
        gics_industry_group: null,
        is_active: true,
      },
      ...(isKnown ? {} : { warnings: [`unknown sector "${sector}"`] }),
      ...(allSectors || resourceSectors.includes(sector) ? {} : { onlyIfStored: "other sectors" }),
    }
  },
}

const textOf = (raw: RawRecord, column: string): string => String(raw[column] ?? "").trim()

/** `1,529,190,000`; commas elsewhere than between thousands are left for the validation to refuse. */
function marketCap(written: string): string | null {
  if (written === "" || written === "--") return null
  return /^\d{1,3}(,\d{3})+$/.test(written) ? written.replaceAll(",", "") : written
}

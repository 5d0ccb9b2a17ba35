/**
 * A list of an index's companies with their GICS sectors. It has less about a company than the
 * directory: no industry group, and nothing about companies outside the index. So it yields to
 * the directory and to a companies file: a company loaded from one of these is left out here, and
 * theirs replaces this one's. As leaving an index is not leaving the exchange, it adds and
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

/** `1,529,190,000`; with commas elsewhere than between thousands, validation rejects the row. */
function marketCap(written: string): string | null {
  if (written === "" || written === "--") return null
  return /^\d{1,3}(,\d{3})+$/.test(written) ? written.replaceAll(",", "") : written
}

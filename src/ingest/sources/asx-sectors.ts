/**
 * A list of an index's companies with their GICS sectors. It has less about a company than the directory: no
 * industry group, and no companies outside the index. So it yields to the directory and to a companies file:
 * a load leaves out companies that one of these has loaded, and their records replace those of this list. A
 * company that leaves an index does not leave the exchange, so the list only adds and changes records.
 */
import { companies } from "../../data/resources/companies.ts"
import { cellText, companyOf } from "./asx-company.ts"
import { asxDirectory } from "./asx-directory.ts"
import { isSector } from "./gics.ts"
import { ownCompanies } from "./own-columns.ts"
import type { Source } from "./source.ts"

export const asxSectors: Source = {
  name: "asx-sectors",
  description:
    "a list of an ASX index's companies with their sectors, as CSV; adds and changes only",
  resource: companies,
  columns: {
    required: ["Code", "Company", "Sector", "Market Cap"],
    optional: ["Weight(%)"],
    others: "report",
  },
  complete: false,
  yieldsTo: [asxDirectory.name, ownCompanies.name],
  map: (raw, options) => {
    const sector = cellText(raw, "Sector")
    const isKnown = sector === "" || isSector(sector)
    const fields = { gics_sector: isKnown ? sector : null, gics_industry_group: null }
    const warnings = isKnown ? [] : [`unknown sector "${sector}"`]
    return companyOf(raw, { code: "Code", name: "Company" }, fields, warnings, options)
  },
}

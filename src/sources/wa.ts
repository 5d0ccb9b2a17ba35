/**
 * Western Australia: the register of the department for mines (CurrentTenements, DMIRS-003), as its
 * own CSV, which has no dates, or as GeoJSON or dBase with all columns. Names of more than ten
 * letters are truncated in some exports. A block has no exact area, and the CSV has no unit.
 */
import { registerSource, tenementOf } from "./register-tenement.ts"
import { textOf } from "./register-values.ts"
import type { RawRecord, Source } from "./source.ts"

const holderColumns = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((nth) => `holder${nth}`)

/**
 * `-I` (iron ore), `-S` (special) and `-G` follow the reference of some tenements. They are
 * endorsements, which a tenement can gain and lose, so they are not part of its id or reference.
 */
const endorsement = /-[A-Z]$/

export const wa: Source = {
  name: "wa",
  published: { licence: "CC BY 4.0" },
  description: "the Western Australian register of mining tenements, as CSV, GeoJSON or dBase",
  columns: {
    required: ["fmt_tenid", "type", "tenstatus", "holder1"],
    optional: [
      "tenid",
      ...holderColumns.slice(1),
      "grantdate",
      "enddate",
      "legal_area",
      "unit_of_measure",
    ],
    spellings: {
      unit_of_measure: ["unit_of_measure", "unit_of_me"],
    },
    others: "ignore",
  },
  fromOptional: {
    grant_date: ["grantdate"],
    expiry_date: ["enddate"],
    area_km2: ["legal_area", "unit_of_measure"],
  },
  ...registerSource,
  map: (raw: RawRecord) => {
    const written = textOf(raw.fmt_tenid)
    const reference = written?.includes("/") ? written.replace(endorsement, "") : written
    return tenementOf({
      state: "WA",
      reference,
      status: raw.tenstatus,
      type: raw.type,
      holders: holderColumns.map((column) => raw[column]),
      grantDate: raw.grantdate,
      expiryDate: raw.enddate,
      area: raw.legal_area,
      areaUnit: raw.unit_of_measure,
    })
  },
}

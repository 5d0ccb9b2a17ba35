/**
 * Western Australia: the register of the department for mines (CurrentTenements, DMIRS-003), as its
 * own CSV, which has no dates, or as GeoJSON or dBase with all columns. Names of more than ten
 * letters are truncated in some exports. A block has no exact area, and the CSV has no unit.
 */
import { register, registerSource, tenementOf } from "./register-tenement.ts"
import { textOf } from "./register-values.ts"
import type { RawRecord, Source } from "./source.ts"

const phrases = register(
  {
    LIVE: "granted",
    PENDING: "pending",
    // The layer of dead tenements has no other status.
    DEAD: "ceased",
  },
  {
    "EXPLORATION LICENCE": "exploration",
    "EXPLORATION LICENCE S.A.": "exploration",
    "EXPLORATION LICENCE OFFSHORE": "exploration",
    "PROSPECTING LICENCE": "prospecting",
    "SPECIAL PROSPECTING LICENCE": "prospecting",
    "RETENTION LICENCE": "retention",
    "RETENTION LICENCE OFFSHORE": "retention",
    "MINING LEASE": "mining",
    // S.A. is a state agreement: an act of parliament for one project.
    "MINING LEASE S.A.": "mining",
    "MINING LICENCE OFFSHORE": "mining",
    "MINERAL LEASE": "mining",
    "MINERAL LEASE S.A.": "mining",
    "COAL MINING LEASE": "mining",
    "GOLD MINING LEASE": "mining",
    "CHRISTMAS ISLAND MINING LEASE": "mining",
    "DREDGING CLAIM": "mineral claim",
    "MINERAL CLAIM": "mineral claim",
    "PROSPECTING AREA": "prospecting",
    "QUARRYING AREA": "extractive",
    "GENERAL PURPOSE LEASE": "general purpose",
    "GENERAL PURPOSE LEASE S.A.": "general purpose",
    "CHRISTMAS ISLAND GENERAL PURPOSE LEASE": "general purpose",
    "TAILINGS LEASE": "general purpose",
    "LICENCE TO TREAT TAILINGS": "general purpose",
    "MACHINERY AREA": "general purpose",
    "RESIDENCE AREA": "general purpose",
    "GARDEN AREA": "general purpose",
    "MISCELLANEOUS LICENCE": "miscellaneous",
    "MISCELLANEOUS LICENCE S.A.": "miscellaneous",
    "MISCELLANEOUS LICENSE S.A.": "miscellaneous",
    "WATER RIGHT": "miscellaneous",
    "TEMPORARY RESERVE": "reserve",
  },
)

const holderColumns = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((nth) => `holder${nth}`)

/**
 * `-I` (iron ore), `-S` (special) and `-G` follow the reference of some tenements. They are
 * endorsements, which a tenement can gain and lose, so they are not part of its id or reference.
 */
const endorsement = /-[A-Z]$/

export const wa: Source = {
  name: "wa",
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
  ...registerSource,
  map: (raw: RawRecord) => {
    const written = textOf(raw.fmt_tenid)
    const reference = written?.includes("/") ? written.replace(endorsement, "") : written
    return tenementOf(phrases, {
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

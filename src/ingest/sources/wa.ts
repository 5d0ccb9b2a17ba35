/**
 * Western Australia: the register of the department for mines (CurrentTenements, DMIRS-003), as its
 * own CSV, which has no dates, or as GeoJSON or dBase with all columns. Names of more than ten
 * letters are truncated in some exports. A block has no exact area, and the CSV has no unit.
 */
import { registerSource } from "./register-source.ts"
import { writtenText } from "./register-values.ts"

const holders = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((nth) => `holder${nth}`)

/**
 * `-I` (iron ore), `-S` (special) and `-G` follow the reference of some tenements. They are
 * endorsements, which a tenement can gain and lose, so they are not part of its id or reference.
 */
const endorsement = /-[A-Z]$/

export const wa = registerSource({
  name: "wa",
  state: "WA",
  published: { licence: "CC BY 4.0" },
  description: "the Western Australian register of mining tenements, as CSV, GeoJSON or dBase",
  required: {
    reference: ["fmt_tenid"],
    type: ["type"],
    status: ["tenstatus"],
    holder1: ["holder1"],
  },
  optional: {
    ...Object.fromEntries(holders.slice(1).map((holder) => [holder, [holder]])),
    granted: ["grantdate"],
    expires: ["enddate"],
    area: ["legal_area"],
    unit: ["unit_of_measure", "unit_of_me"],
  },
  entryOf: (raw) => {
    const written = writtenText(raw.reference)
    return {
      ...raw,
      reference: written?.includes("/") ? written.replace(endorsement, "") : written,
      holders: holders.map((holder) => raw[holder]),
    }
  },
})

/**
 * South Australia: exploration licences, mineral leases, extractive leases and applications, each a
 * layer with column names of its own. Times are local noon, and the features' ids change with every
 * download: a tenement is identified by its label, an application by its file reference. Two further
 * layers, of exploration release areas and of relinquished ground, have no tenements.
 */
import { holdersIn } from "./register-holders.ts"
import { registerSource } from "./register-source.ts"
import { leftOutArea } from "./register-tenement.ts"
import { withLetters, writtenText } from "./register-values.ts"

export const sa = registerSource({
  name: "sa",
  state: "SA",
  published: {
    licence: "CC BY 4.0",
    attribution:
      "Contains data from the Department for Energy and Mining, © Government of South Australia, licensed under CC BY 4.0",
  },
  description:
    "the South Australian register: licences, mineral and extractive leases, applications, as GeoJSON, CSV or dBase",
  required: {
    reference: ["TENEMENT_LABEL", "FILE_REFERENCE"],
    type: ["TENEMENT_TYPE", "APPLICATION_TYPE", "LEASE_TYPE"],
    holders: ["LICENCEES", "TENEMENT_HOLDERS", "APPLICANTS"],
  },
  optional: {
    status: ["TENEMENT_STATUS"],
    granted: ["TENEMENT_START_DATE", "REGISTRATION_GRANT_DATE"],
    expires: ["TENEMENT_EXPIRY_DATE", "EXPIRY_DATE"],
    area: ["AREA_LEGAL", "LEGAL_AREA"],
    unit: ["AREA_UNIT"],
    givenName: ["OPERATION_NAME"],
    commodities: ["COMMODITIES", "COMMODITIES_SOUGHT"],
    outcome: ["OUTCOME"],
    released: ["ERA_NUMBER", "AREA_TYPE"],
  },
  excludedBy: "released",
  entryOf: (raw) =>
    "released" in raw
      ? leftOutArea
      : {
          ...raw,
          reference: withLetters(raw.reference, raw.type),
          // The layer of applications has no status, only the outcome of those that are decided.
          status: "status" in raw ? raw.status : (writtenText(raw.outcome) ?? "Application"),
          holders: holdersIn(raw.holders).flatMap(companiesIn).map(withoutRole),
        },
})

/** A comma after the end of a company's name separates two holders; any other is part of a name. */
const companiesIn = (names: string): string[] =>
  names.split(/(?<=\b(?:LTD|LIMITED|NL|INC)\b\.?)\s*,\s*(?=\p{L})/iu)

/** The role of a holder is not part of its name. */
const withoutRole = (name: string): string => name.replace(/\s*\(Tenement Holder\)$/i, "")

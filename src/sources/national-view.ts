/**
 * The MineralTenement view of EarthResourceML, in whose columns several states publish: here are those
 * that publish in no others. An area is
 * text with its unit (http://schemas.geoscience.gov.au/MineralTenementML/1.0/); without one it
 * stays unknown.
 */
import type { State } from "../db/schema.ts"
import { ownersIn } from "./national-owners.ts"
import { registerSource, tenementOf } from "./register-tenement.ts"
import type { RawRecord, Source } from "./source.ts"

/** A register in the view's columns. `stateOf` returns undefined where a row's state is unknown. */
export function viewSource(
  name: string,
  description: string,
  stateOf: (raw: RawRecord) => State | undefined,
): Source {
  return {
    name,
    description,
    columns: {
      required: ["name", "tenementType", "status", "owner", "grantDate", "expireDate"],
      optional: ["area", "identifier", "state", "jurisdiction"],
      others: "ignore",
    },
    fromOptional: { area_km2: ["area"] },
    ...registerSource,
    map: (raw) => {
      const state = stateOf(raw)
      if (!state) return { rejected: "has neither a state nor an identifier that names one" }
      return tenementOf({
        state,
        reference: raw.name,
        status: raw.status,
        type: raw.tenementType,
        holders: ownersIn(raw.owner),
        grantDate: raw.grantDate,
        expiryDate: raw.expireDate,
        area: raw.area,
      })
    },
  }
}

/** In upper case and without areas. */
export const tas: Source = viewSource("tas", "Tasmania's register of tenements", () => "TAS")

export const nt: Source = viewSource(
  "nt",
  "the Northern Territory's register of mineral titles, in the columns of the national view",
  () => "NT",
)

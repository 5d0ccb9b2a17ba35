/** Victoria's register of mineral tenements. */
import { ownersIn } from "./national-owners.ts"
import { registerSource, tenementOf } from "./register-tenement.ts"
import type { Source } from "./source.ts"

export const vic: Source = {
  name: "vic",
  description: "Victoria's register of mineral tenements",
  columns: {
    required: ["tno", "typedesc", "statussdsc", "own_name"],
    optional: ["grant1_dt", "expl_dt", "hectares"],
    others: "ignore",
  },
  fromOptional: {
    grant_date: ["grant1_dt"],
    expiry_date: ["expl_dt"],
    area_km2: ["hectares"],
  },
  ...registerSource,
  map: (raw) =>
    tenementOf({
      state: "VIC",
      reference: raw.tno,
      status: raw.statussdsc,
      type: raw.typedesc,
      holders: ownersIn(raw.own_name),
      grantDate: raw.grant1_dt,
      expiryDate: raw.expl_dt,
      area: raw.hectares,
      areaUnit: "ha",
    }),
}

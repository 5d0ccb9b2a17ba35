/** Victoria's register of mineral tenements. */
import { holdersIn } from "./register-holders.ts"
import { registerSource } from "./register-source.ts"

export const vic = registerSource({
  name: "vic",
  state: "VIC",
  description: "Victoria's register of mineral tenements",
  required: {
    reference: ["tno"],
    type: ["typedesc"],
    status: ["statussdsc"],
    holder: ["own_name"],
  },
  optional: {
    granted: ["grant1_dt"],
    expires: ["expl_dt"],
    hectares: ["hectares"],
    commodities: ["commodity", "commodities", "minerals"],
  },
  entryOf: (raw) => ({ ...raw, holders: holdersIn(raw.holder) }),
})

/** Victoria's register of mineral tenements. */
import { holdersIn } from "./register-holders.ts"
import { registerSource } from "./register-tenement.ts"

export const vic = registerSource({
  name: "vic",
  states: ["VIC"],
  description: "Victoria's register of mineral tenements",
  required: {
    reference: ["tno"],
    type: ["typedesc"],
    status: ["statussdsc"],
    holder: ["own_name"],
  },
  optional: { granted: ["grant1_dt"], expires: ["expl_dt"], hectares: ["hectares"] },
  entryOf: (raw) => ({ ...raw, state: "VIC", holders: holdersIn(raw.holder) }),
})

/** The Northern Territory's register, in the columns of the national view. */
import { commonStatuses, commonTypes } from "./national-phrases.ts"
import { viewSource } from "./national-view.ts"
import { register } from "./register-tenement.ts"
import type { Source } from "./source.ts"

/** Types may also be written as the letters with which a title's name begins. */
const types = register(commonStatuses, {
  ...commonTypes,
  EL: "exploration",
  ELR: "retention",
  EMEL: "extractive",
  EML: "extractive",
  EMP: "extractive",
  MA: "mining",
  MCS: "mineral claim",
  MCN: "mineral claim",
  MCC: "mineral claim",
  ML: "mining",
  MLA: "mining",
  MLC: "mining",
  MLN: "mining",
  MLS: "mining",
})

export const nt: Source = viewSource(
  "nt",
  "the Northern Territory's register of mineral titles, in the columns of the national view",
  () => "NT",
  types,
)

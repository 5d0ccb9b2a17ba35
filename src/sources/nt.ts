/** The Northern Territory's register, in the columns of the national view. */
import { viewSource } from "./national-view.ts"
import type { Source } from "./source.ts"

export const nt: Source = viewSource(
  "nt",
  "the Northern Territory's register of mineral titles, in the columns of the national view",
  () => "NT",
)

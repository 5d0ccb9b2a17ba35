/** The sources of two states that publish in the columns of the national view, and files of several states in it. */
import { tenements } from "../../data/resources/tenements.ts"
import { nationalView, statedState } from "./national-view.ts"
import { registerSource, viewColumns } from "./register-source.ts"
import type { Source } from "./source.ts"

export const tas = registerSource({
  name: "tas",
  state: "TAS",
  description: "Tasmania's register of tenements",
  ...nationalView,
})

export const nt = registerSource({
  name: "nt",
  state: "NT",
  description:
    "the Northern Territory's register of mineral titles, in the columns of the national view",
  ...nationalView,
})

/** Not a source: `mds load` loads each state in its files as files of the state's source. */
export const national = {
  name: "national",
  description: "the national MineralTenement view (EarthResourceML), as a load of each state in it",
  resource: tenements,
  columns: viewColumns,
}

/** A state's source as it reads files of several states: a row that names no state may be any state's. */
export const inNational = (source: Source): Source => ({
  ...source,
  columns: viewColumns,
  map: (raw, options) =>
    statedState(raw)
      ? source.map(raw, options)
      : { rejected: "has neither a state nor an identifier that names one" },
})

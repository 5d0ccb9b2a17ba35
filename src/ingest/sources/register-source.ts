/**
 * The source of a state's tenements. It reads the layouts of the state's register, and the national view, of
 * which it takes the state's own rows.
 */
import type { State } from "../../data/db/schema.ts"
import { tenements } from "../../data/resources/tenements.ts"
import type { Columns } from "./columns.ts"
import { isOfView, nationalView } from "./national-view.ts"
import { type Layout, tenementOf } from "./register-tenement.ts"
import type { Source } from "./source.ts"

interface Register extends Pick<Source, "name" | "description" | "published">, Layout {
  state: State
}

/** The cells that each field which a file may lack is read from. */
const cellsOf = {
  grant_date: ["granted"],
  expiry_date: ["expires"],
  area_km2: ["hectares", "squareMetres", "area", "unit"],
  name: ["givenName"],
  commodities: ["commodities"],
}

/** A register is a complete set of tenements; some have a row for each holder of a tenement. */
export function registerSource(register: Register): Source {
  const { required, optional, excludedBy, entryOf, ...source } = register
  const { state } = source
  const fromOptional = Object.entries(cellsOf).map(([field, cells]) => {
    const own = cells.filter((cell) => cell in optional)
    return [field, own.length > 0 ? own : cells.filter((cell) => cell in nationalView.optional)]
  })
  return {
    ...source,
    resource: tenements,
    columns: { ...columnsOf({ required, optional, excludedBy }), other: viewColumns },
    fromOptional: Object.fromEntries(fromOptional),
    complete: true,
    joinedField: "holder_name",
    map: (raw) => {
      const entry = (isOfView(raw) ? nationalView.entryOf : entryOf)(raw, state)
      return "holders" in entry ? tenementOf(entry, state) : entry
    },
  }
}

const columnsOf = ({ required, optional, excludedBy }: Omit<Layout, "entryOf">): Columns => ({
  required: Object.keys(required),
  optional: Object.keys(optional),
  spellings: { ...required, ...optional },
  excludedBy,
  others: "ignore",
})

export const viewColumns = columnsOf(nationalView)

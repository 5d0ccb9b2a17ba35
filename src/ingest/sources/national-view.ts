/**
 * The MineralTenement view of EarthResourceML (http://schemas.geoscience.gov.au/MineralTenementML/1.0/): a layout
 * in which each state's tenements may be published, beside the register's own, and in which two states publish
 * their registers. An area is text with its unit; without one it stays unknown.
 *
 * A row is of the state that its `state` or `jurisdiction` names, or else of that of the government domain in its
 * identifier, a URL. A row with neither is of the state whose source reads it.
 */
import { type State, states } from "../../data/db/schema.ts"
import { holdersIn } from "./register-holders.ts"
import { type Layout, leftOutArea } from "./register-tenement.ts"
import { writtenText } from "./register-values.ts"
import type { RawRecord } from "./source.ts"

const names: Readonly<Record<string, State>> = {
  "western australia": "WA",
  "northern territory": "NT",
  "south australia": "SA",
  queensland: "QLD",
  "new south wales": "NSW",
  victoria: "VIC",
  tasmania: "TAS",
}

export const nationalView: Layout = {
  required: {
    name: ["name"],
    type: ["tenementType", "TENEMENTTY"],
    status: ["status"],
    owner: ["owner"],
  },
  optional: {
    granted: ["grantDate"],
    expires: ["expireDate"],
    area: ["area"],
    commodities: ["commodity"],
    identifier: ["identifier"],
    state: ["state"],
    jurisdiction: ["jurisdiction", "JURISDICTI"],
  },
  entryOf: (raw, state) => {
    if ((statedState(raw) ?? state) !== state) return { leftOut: "of other states" }
    const holders = holdersIn(raw.owner)
    return holders.length === 0 && /^ERA(?![a-z])/i.test(writtenText(raw.name) ?? "")
      ? leftOutArea
      : { ...raw, reference: raw.name, holders }
  },
}

/** Whether a row is of the view: no other layout has a cell of this name. */
export const isOfView = (raw: RawRecord): boolean => "name" in raw

/** The state that a row of the view names. */
export function statedState({ state, jurisdiction, identifier }: RawRecord): State | undefined {
  return stateNamed(state) ?? stateNamed(jurisdiction) ?? stateOfAddress(identifier)
}

function stateNamed(written: unknown): State | undefined {
  if (typeof written !== "string") return undefined
  const name = written.trim()
  return states.find((state) => state === name.toUpperCase()) ?? names[name.toLowerCase()]
}

function stateOfAddress(identifier: unknown): State | undefined {
  if (typeof identifier !== "string" || !URL.canParse(identifier)) return undefined
  const government = /(?:^|\.)([a-z]+)\.gov\.au$/.exec(new URL(identifier).hostname)
  return stateNamed(government?.[1])
}

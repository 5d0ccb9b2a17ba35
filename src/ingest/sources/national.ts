/**
 * The MineralTenement view of EarthResourceML (http://schemas.geoscience.gov.au/MineralTenementML/1.0/), in
 * whose columns two states publish, and the national view, which has tenements of all states. An area is
 * text with its unit; without one it stays unknown.
 *
 * A row of the national view is of the state that its `state` or `jurisdiction` names, or else of that of
 * the government domain in its identifier, a URL. Files with neither are loaded as `national-wa` and so on,
 * which are sources of their own.
 */
import { type State, states } from "../../data/db/schema.ts"
import { holdersIn } from "./register-holders.ts"
import { registerSource, releaseArea } from "./register-tenement.ts"
import { writtenText } from "./register-values.ts"
import type { RawRecord, Source } from "./source.ts"

const names: Readonly<Record<string, State>> = {
  "western australia": "WA",
  "northern territory": "NT",
  "south australia": "SA",
  queensland: "QLD",
  "new south wales": "NSW",
  victoria: "VIC",
  tasmania: "TAS",
}

/** A register in the view's columns. `stateOf` returns undefined where a row's state is unknown. */
const viewSource = (
  name: string,
  description: string,
  states: readonly State[],
  stateOf: (raw: RawRecord) => State | undefined,
): Source =>
  registerSource({
    ...{ name, description, states },
    required: {
      reference: ["name"],
      type: ["tenementType", "TENEMENTTY"],
      status: ["status"],
      owner: ["owner"],
    },
    optional: {
      granted: ["grantDate"],
      expires: ["expireDate"],
      area: ["area"],
      identifier: ["identifier"],
      state: ["state"],
      jurisdiction: ["jurisdiction", "JURISDICTI"],
    },
    entryOf: (raw) => {
      const state = stateOf(raw)
      const holders = holdersIn(raw.owner)
      if (holders.length === 0 && /^ERA(?![a-z])/i.test(writtenText(raw.reference) ?? "")) {
        return releaseArea
      }
      if (!state) return { rejected: "has neither a state nor an identifier that names one" }
      return states.includes(state) ? { ...raw, state, holders } : { leftOut: "of other states" }
    },
  })

export const tas = viewSource("tas", "Tasmania's register of tenements", ["TAS"], () => "TAS")

export const nt = viewSource(
  "nt",
  "the Northern Territory's register of mineral titles, in the columns of the national view",
  ["NT"],
  () => "NT",
)

export const national = viewSource(
  "national",
  "the national MineralTenement view (EarthResourceML), with a state or an identifier in each row",
  states,
  statedState,
)

export const nationalByState: readonly Source[] = states.map((state) =>
  viewSource(
    `national-${state.toLowerCase()}`,
    `the national MineralTenement view of ${state}, where its rows name no state`,
    [state],
    (raw) => statedState(raw) ?? state,
  ),
)

function statedState({ state, jurisdiction, identifier }: RawRecord): State | undefined {
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

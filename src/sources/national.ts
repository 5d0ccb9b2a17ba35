/**
 * The national MineralTenement view: tenements of all states. A row's state is the one that its
 * `state` or `jurisdiction` names, or else that of the government domain in its identifier, a URL.
 * Files with neither are loaded as `national-wa` and so on, which are sources of their own.
 */
import { type State, states } from "../db/schema.ts"
import { nt, tas, viewSource } from "./national-view.ts"
import { nsw } from "./nsw.ts"
import { qld } from "./qld.ts"
import { sa } from "./sa.ts"
import type { RawRecord, Source } from "./source.ts"
import { vic } from "./vic.ts"
import { wa } from "./wa.ts"

const names: Readonly<Record<string, State>> = {
  "western australia": "WA",
  "northern territory": "NT",
  "south australia": "SA",
  queensland: "QLD",
  "new south wales": "NSW",
  victoria: "VIC",
  tasmania: "TAS",
}

/** A state's own register takes precedence; the national view adds what the registers lack. */
const yieldsTo = { sources: [wa, nsw, qld, vic, sa, tas, nt].map(({ name }) => name), mayAdd: true }

export const national: Source = {
  ...viewSource(
    "national",
    "the national MineralTenement view (EarthResourceML), with a state or an identifier in each row",
    stateOf,
  ),
  sharesReferences: true,
  yieldsTo,
}

export const nationalByState: readonly Source[] = states.map((state) => ({
  ...viewSource(
    `national-${state.toLowerCase()}`,
    `the national MineralTenement view of ${state}, where its rows name no state`,
    (raw) => stateOf(raw) ?? state,
  ),
  sharesReferences: true,
  yieldsTo,
}))

function stateOf({ state, jurisdiction, identifier }: RawRecord): State | undefined {
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

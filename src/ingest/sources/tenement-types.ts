/**
 * The words that decide a tenement's type, in the registers of all states, and the letters that some
 * states write instead. An application for a type is of that type; its status is pending. The guide defines each
 * type.
 */
import type { State } from "../../data/db/schema.ts"
import { phraseReader } from "./deciding-words.ts"

const byWords = phraseReader([
  { means: "exploration", terms: ["exploration"], over: ["opal"] },
  { means: "prospecting", terms: ["prospecting"] },
  { means: "retention", terms: ["retention"], over: ["exploration", "mining"] },
  { means: "assessment", terms: ["assessment"] },
  { means: "mineral development", terms: ["mineral development"] },
  {
    means: "mining",
    terms: [
      ...["mining", "private mine", "mineral lease", "mineral authority", "coal lease"],
      ...["gold lease", "special lease", "private lands lease"],
    ],
  },
  { means: "mineral claim", terms: ["claim"], over: ["mining"] },
  { means: "opal", terms: ["opal", "precious stones"], over: ["prospecting", "mining"] },
  {
    means: "extractive",
    terms: ["extractive", "quarry", "quarrying", "work authority"],
    over: ["exploration", "mining"],
  },
  { means: "fossicking", terms: ["fossicking"] },
  {
    means: "general purpose",
    terms: [
      ...["general purpose", "mining purposes", "infrastructure", "tailings"],
      ...["machinery area", "residence area", "garden area"],
    ],
    over: ["mining"],
  },
  {
    means: "miscellaneous",
    terms: ["miscellaneous", "access authority", "water right", "dam site"],
  },
  { means: "reserve", terms: ["reserve", "reserved"] },
  {
    means: null,
    terms: [
      ..."not non no former formerly converted".split(" "),
      // A purpose without a name.
      "specific purpose",
      // Not for minerals.
      ..."petroleum gas geothermal greenhouse hydrogen".split(" "),
    ],
  },
])

type TenementType = NonNullable<ReturnType<typeof byWords>>
type Letters = Readonly<Record<string, TenementType>>

/** @param types each with its letters, separated by blanks */
const lettersOf = (...types: (readonly [type: TenementType, letters: string])[]): Letters =>
  Object.fromEntries(
    types.flatMap(([type, letters]) => letters.split(" ").map((each) => [each, type] as const)),
  )

/** By the letters with which a title of New South Wales begins. */
export const lettersOfNsw = lettersOf(
  ["exploration", "A AUTH E(MO)L EL EP EPL MEL"],
  ["assessment", "AL"],
  // M(C)L is a claim that was converted to a lease, M(MO)L a lease of the owner of the minerals. Leases on
  // private lands (PL), or on Crown and private lands (C&PL), are special (S), or for mining purposes (MP):
  // the register's own type column has mining for these.
  ["mining", "CCL CL CML DL GL M(C)L M(MO)L ML MPL PL(MP)L PLL S(C&PL)L S(PL)L SL"],
  // Dam sites.
  ["miscellaneous", "DSL"],
  ["mineral claim", "MC"],
  ["opal", "OPL"],
  ["prospecting", "PL"],
)

/** The types of phrases that consist only of letters such as `EPM`. */
const letters: Readonly<Partial<Record<State, Letters>>> = {
  NSW: lettersOfNsw,
  NT: lettersOf(
    ["exploration", "EL"],
    ["retention", "ELR"],
    ["extractive", "EMEL EML EMLC EMLN EMLS EMP EMPC EMPN EMPS"],
    // AA is an access authority. HLD are holdings of earlier acts: bores, pipelines and the like.
    ["miscellaneous", "AA HLDC HLDN HLDS"],
    ["mineral claim", "MC MCS MCN MCC"],
    ["mining", "MA ML MLA MLC MLN MLS"],
  ),
  QLD: lettersOf(
    ["exploration", "EPC EPM"],
    ["mineral claim", "MC"],
    ["mineral development", "MDL"],
    ["mining", "ML"],
  ),
  SA: lettersOf(
    ["exploration", "EL ELA"],
    // PM are private mines, SML is Olympic Dam's special mining lease.
    ["mining", "ML MLA PM PMA SML"],
    ["extractive", "EML EMLA"],
    ["retention", "RL RLA"],
    ["miscellaneous", "MPL MPLA"],
    ["mineral claim", "MC MCA"],
  ),
  TAS: lettersOf(["exploration", "EL SEL"], ["mining", "M P/M"], ["retention", "RL"]),
}

/** Where Tasmania's type is one of these two words, the letters of the reference decide. */
const lettersOfTasmania: Readonly<Record<string, Letters>> = {
  LICENCE: { EL: "exploration", SEL: "exploration", RL: "retention" },
  LEASE: { M: "mining", PM: "mining" },
}

/** The type that a phrase means in a state's register; undefined for an unknown one. */
export function typeOf(state: State, phrase: string, reference: string): TenementType | undefined {
  const written = phrase.trim().toUpperCase()
  const inTasmania = state === "TAS" ? ofOwn(lettersOfTasmania, written) : undefined
  if (inTasmania) return ofOwn(inTasmania, reference.toUpperCase().replace(/[^A-Z]/g, ""))
  return ofOwn(letters[state] ?? {}, written) ?? byWords(phrase)
}

/** A phrase may be the name of something that every object inherits. */
const ofOwn = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined

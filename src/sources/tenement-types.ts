/**
 * The words that decide a tenement's type, in the registers of all states, and the letters that some
 * states write instead. An application for a type is of that type; its status is pending.
 */
import type { State } from "../db/schema.ts"
import { type Decision, phraseReader } from "./deciding-words.ts"
import type { TenementType } from "./tenement-vocabulary.ts"

const decisions: readonly Decision<TenementType>[] = [
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
  { means: "miscellaneous", terms: ["miscellaneous", "access authority", "water right"] },
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
]

const byWords = phraseReader(decisions)

type Letters = Readonly<Record<string, TenementType>>

/** By the letters with which a title of New South Wales begins. */
export const lettersOfNsw: Letters = {
  A: "exploration",
  AL: "assessment",
  AUTH: "exploration",
  CCL: "mining",
  CL: "mining",
  CML: "mining",
  DL: "mining",
  "E(MO)L": "exploration",
  EL: "exploration",
  EP: "exploration",
  EPL: "exploration",
  GL: "mining",
  // A claim that was converted to a lease, and a lease of the owner of the minerals.
  "M(C)L": "mining",
  "M(MO)L": "mining",
  MC: "mineral claim",
  ML: "mining",
  MPL: "general purpose",
  OPL: "opal",
  PL: "prospecting",
  // On private lands (PL), or on Crown and private lands (C&PL): for mining purposes (MP), or special (S).
  "PL(MP)L": "general purpose",
  PLL: "mining",
  "S(C&PL)L": "mining",
  "S(PL)L": "mining",
  SL: "mining",
}

/** By the letters alone, without other words. */
const letters: Readonly<Partial<Record<State, Letters>>> = {
  NSW: lettersOfNsw,
  NT: {
    // An access authority.
    AA: "miscellaneous",
    EL: "exploration",
    ELR: "retention",
    EMEL: "extractive",
    EML: "extractive",
    EMLC: "extractive",
    EMLN: "extractive",
    EMLS: "extractive",
    EMP: "extractive",
    EMPC: "extractive",
    EMPN: "extractive",
    EMPS: "extractive",
    // Holdings of earlier acts: bores, pipelines and the like, in the north, centre and south.
    HLDC: "miscellaneous",
    HLDN: "miscellaneous",
    HLDS: "miscellaneous",
    MA: "mining",
    MC: "mineral claim",
    MCS: "mineral claim",
    MCN: "mineral claim",
    MCC: "mineral claim",
    ML: "mining",
    MLA: "mining",
    MLC: "mining",
    MLN: "mining",
    MLS: "mining",
  },
  QLD: {
    EPC: "exploration",
    EPM: "exploration",
    MC: "mineral claim",
    MDL: "mineral development",
    ML: "mining",
  },
  SA: {
    EL: "exploration",
    ELA: "exploration",
    ML: "mining",
    MLA: "mining",
    EML: "extractive",
    EMLA: "extractive",
    RL: "retention",
    RLA: "retention",
    MPL: "miscellaneous",
    MPLA: "miscellaneous",
    MC: "mineral claim",
    MCA: "mineral claim",
    // Private mines.
    PM: "mining",
    PMA: "mining",
    // Olympic Dam's special mining lease.
    SML: "mining",
  },
  TAS: {
    EL: "exploration",
    M: "mining",
    "P/M": "mining",
    RL: "retention",
    SEL: "exploration",
  },
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

/**
 * What differs between the seven states: the types of tenement, their letters, and how the
 * two numbers of a reference are made. The numbers are invented.
 */
import { weighted } from "./random.ts"
import type { State } from "./records.ts"

export interface TenementKind {
  letters: string
  type: string
  termYears: number
  /** Square kilometres from `lowKm2`, doubled up to `octaves` times. */
  lowKm2: number
  octaves: number
}

export interface Register {
  state: State
  /**
   * One number of a reference is a district, a series or a year: `span` values from `low` on,
   * padded to `pad` digits. It stands before the slash or, a year, after it.
   */
  series: { low: number; span: number; pad: number; place: "first" | "second" }
  /** Kinds to pick from, the common ones often. */
  kinds: readonly TenementKind[]
}

type Shape = Omit<TenementKind, "letters">
const exploration: Shape = { type: "exploration", termYears: 5, lowKm2: 2.8, octaves: 8 }
const mining: Shape = { type: "mining", termYears: 21, lowKm2: 0.04, octaves: 9 }
const prospecting: Shape = { type: "prospecting", termYears: 4, lowKm2: 0.06, octaves: 5 }
const retention: Shape = { type: "retention", termYears: 5, lowKm2: 0.5, octaves: 8 }
const miscellaneous: Shape = { type: "miscellaneous", termYears: 21, lowKm2: 0.005, octaves: 11 }
const generalPurpose: Shape = { type: "general purpose", termYears: 21, lowKm2: 0.01, octaves: 7 }
const development: Shape = { type: "mineral development", termYears: 5, lowKm2: 1.5, octaves: 6 }
const extractive: Shape = { type: "extractive", termYears: 10, lowKm2: 0.02, octaves: 6 }
const assessment: Shape = { type: "assessment", termYears: 6, lowKm2: 1, octaves: 6 }

function kinds(...entries: [letters: string, shape: Shape, weight: number][]): TenementKind[] {
  return weighted(
    ...entries.map(([letters, shape, weight]) => [{ letters, ...shape }, weight] as const),
  )
}

const westernAustralia: Register = {
  state: "WA",
  series: { low: 1, span: 80, pad: 2, place: "first" },
  kinds: kinds(
    ["E", exploration, 45],
    ["P", prospecting, 24],
    ["M", mining, 13],
    ["L", miscellaneous, 11],
    ["G", generalPurpose, 5],
    ["R", retention, 2],
  ),
}
const queensland: Register = {
  state: "QLD",
  series: { low: 10, span: 20, pad: 2, place: "first" },
  kinds: kinds(
    ["EPM", exploration, 55],
    ["EPC", exploration, 12],
    ["MDL", development, 8],
    ["ML", mining, 25],
  ),
}
const newSouthWales: Register = {
  state: "NSW",
  series: { low: 5, span: 5, pad: 1, place: "first" },
  kinds: kinds(["EL", exploration, 70], ["AL", assessment, 5], ["ML", mining, 25]),
}
const victoria: Register = {
  state: "VIC",
  series: { low: 3, span: 6, pad: 1, place: "first" },
  kinds: kinds(
    ["EL", exploration, 60],
    ["MIN", mining, 22],
    ["PL", prospecting, 12],
    ["RL", retention, 6],
  ),
}
const southAustralia: Register = {
  state: "SA",
  series: { low: 4, span: 4, pad: 1, place: "first" },
  kinds: kinds(
    ["EL", exploration, 45],
    ["ML", mining, 20],
    ["EML", extractive, 25],
    ["MPL", miscellaneous, 7],
    ["RL", retention, 3],
  ),
}
const tasmania: Register = {
  state: "TAS",
  series: { low: 1986, span: 40, pad: 4, place: "second" },
  kinds: kinds(["EL", exploration, 60], ["ML", mining, 34], ["RL", retention, 6]),
}
const northernTerritory: Register = {
  state: "NT",
  series: { low: 22, span: 12, pad: 2, place: "first" },
  kinds: kinds(["EL", exploration, 74], ["ML", mining, 18], ["EMP", extractive, 8]),
}

/** Registers to pick from, the large ones often. */
export const registersBySize: readonly Register[] = weighted(
  [westernAustralia, 42],
  [queensland, 20],
  [newSouthWales, 10],
  [southAustralia, 9],
  [northernTerritory, 8],
  [victoria, 6],
  [tasmania, 5],
)

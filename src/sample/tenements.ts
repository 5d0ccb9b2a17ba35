/** Tenements of the seven states, with references as their registers write them. */

import type { State } from "../data/db/schema.ts"
import { type Random, weighted } from "./random.ts"
import type { TenementRecord } from "./records.ts"

/** The day that the sample data calls today, in days since 1970-01-01: a constant, not a clock. */
export const referenceDay = Date.parse("2026-06-30") / 86_400_000

const dates = new Map<number, string>()

/** `YYYY-MM-DD`. Cached, as a million records share about thirty thousand dates. */
export function dayText(day: number): string {
  const date = dates.get(day) ?? new Date(day * 86_400_000).toISOString().slice(0, 10)
  dates.set(day, date)
  return date
}

interface Kind {
  state: State
  letters: string
  type: string
  termYears: number
  /** Square kilometres from `lowKm2`, doubled up to `octaves` times. */
  lowKm2: number
  octaves: number
}

const shapes = {
  exploration: { termYears: 5, lowKm2: 2.8, octaves: 8 },
  prospecting: { termYears: 4, lowKm2: 0.06, octaves: 5 },
  mining: { termYears: 21, lowKm2: 0.04, octaves: 9 },
  miscellaneous: { termYears: 21, lowKm2: 0.005, octaves: 11 },
  retention: { termYears: 5, lowKm2: 0.5, octaves: 8 },
}

const kind = (state: State, letters: string, type: keyof typeof shapes, weight: number) =>
  [{ state, letters, type, ...shapes[type] }, weight] as const

const kinds = weighted<Kind>(
  kind("WA", "E", "exploration", 190),
  kind("WA", "P", "prospecting", 100),
  kind("WA", "M", "mining", 60),
  kind("WA", "L", "miscellaneous", 60),
  kind("WA", "R", "retention", 10),
  kind("QLD", "EPM", "exploration", 140),
  kind("QLD", "ML", "mining", 60),
  kind("NSW", "EL", "exploration", 75),
  kind("NSW", "ML", "mining", 25),
  kind("SA", "EL", "exploration", 60),
  kind("SA", "MPL", "miscellaneous", 30),
  kind("NT", "EL", "exploration", 60),
  kind("NT", "ML", "mining", 20),
  kind("VIC", "MIN", "mining", 20),
  kind("VIC", "RL", "retention", 40),
  kind("TAS", "EL", "exploration", 50),
)

const statuses = weighted(
  ["granted", 720],
  ["pending", 215],
  ["expired", 25],
  ["surrendered", 25],
  ["cancelled", 15],
)

/** One at a time: memory does not grow with `count`. */
export function* makeTenements(
  random: Random,
  count: number,
  pickHolders: (random: Random) => string | null,
): Generator<TenementRecord> {
  const madeByKind = new Map<Kind, number>()
  for (let index = 0; index < count; index++) {
    const kind = random.pick(kinds)
    const made = madeByKind.get(kind) ?? 0
    madeByKind.set(kind, made + 1)
    // Districts take turns, and each turn has seven numbers, as real series have gaps.
    const district = String(1 + ((made * 29) % 80)).padStart(2, "0")
    const number = 100 + Math.floor(made / 80) * 7 + random.below(7)
    const status = random.pick(statuses)
    const [grantDay, expiryDay] = makeTerm(random, status, kind.termYears)
    yield {
      id: `${kind.state}-${kind.letters}${district}-${number}`,
      tenement_id: `${kind.letters}${district}/${number}`,
      state: kind.state,
      status,
      type: kind.type,
      holder_name: pickHolders(random),
      grant_date: grantDay === null ? null : dayText(grantDay),
      expiry_date: expiryDay === null ? null : dayText(expiryDay),
      area_km2: makeArea(random, kind),
    }
  }
}

/** Days of grant and expiry. A granted tenement may be past its expiry: its renewal is awaited. */
function makeTerm(random: Random, status: string, termYears: number) {
  if (status === "pending") return [null, null] as const
  const isPast = random.chance(status === "granted" ? 0.08 : 0.6)
  const term = Math.round(termYears * 365.25)
  const expiry = isPast ? referenceDay - 1 - random.below(1500) : referenceDay + random.below(term)
  return [expiry + 1 - term, status === "granted" && random.chance(0.03) ? null : expiry] as const
}

/** Two decimals, or four where a small area needs them; null where the register counts in blocks. */
function makeArea(random: Random, { lowKm2, octaves }: Kind): number | null {
  if (random.chance(0.08)) return null
  const area = random.spread(lowKm2, octaves)
  return area < 1 ? Math.round(area * 10_000) / 10_000 : Math.round(area * 100) / 100
}

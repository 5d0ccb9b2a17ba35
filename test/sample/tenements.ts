import { dateOf, referenceDay, years } from "./dates.ts"
import { type Holders, pickHolders } from "./holders.ts"
import { type Random, weighted } from "./random.ts"
import type { TenementRecord } from "./records.ts"
import { referenceOf } from "./references.ts"
import { registersBySize, type TenementKind } from "./registers.ts"

const statuses = weighted(
  ["granted", 720],
  ["pending", 200],
  ["expired", 25],
  ["surrendered", 25],
  ["cancelled", 10],
  ["withdrawn", 10],
  ["refused", 5],
  ["forfeited", 5],
)
const neverGranted = new Set(["pending", "withdrawn", "refused"])

/** One at a time: memory does not grow with `count`. */
export function* makeTenements(
  random: Random,
  count: number,
  holders: Holders,
): Generator<TenementRecord> {
  const madeByKind = new Map<TenementKind, number>()
  for (let index = 0; index < count; index++) {
    const register = random.pick(registersBySize)
    const kind = random.pick(register.kinds)
    const made = madeByKind.get(kind) ?? 0
    madeByKind.set(kind, made + 1)
    const reference = referenceOf(register, kind.letters, made, random.below(7))
    const status = random.pick(statuses)
    const [grantDay, expiryDay] = makeTerm(random, status, kind.termYears)
    yield {
      id: reference.id,
      tenement_id: reference.tenementId,
      state: register.state,
      status,
      type: kind.type,
      holder_name: pickHolders(random, holders),
      grant_date: grantDay === null ? null : dateOf(grantDay),
      expiry_date: expiryDay === null ? null : dateOf(expiryDay),
      area_km2: makeArea(random, kind),
    }
  }
}

/** Days of grant and expiry. A granted tenement may be past its expiry: its renewal is awaited. */
function makeTerm(
  random: Random,
  status: string,
  termYears: number,
): [number | null, number | null] {
  if (neverGranted.has(status)) return [null, null]
  const isPast = status === "expired" || random.chance(status === "granted" ? 0.08 : 0.6)
  const term = years(termYears)
  const expiry = isPast
    ? referenceDay - 1 - random.below(status === "granted" ? 1500 : 5000)
    : referenceDay + random.below(term - 1)
  const renewals = random.chance(0.25) ? 1 + random.below(3) : 0
  const grant = expiry + 1 - term - renewals * years(5)
  return [grant, status === "granted" && random.chance(0.03) ? null : expiry]
}

/**
 * Two decimals, or four where a small area needs them; null where the register counts in blocks.
 */
function makeArea(random: Random, { lowKm2, octaves }: TenementKind): number | null {
  if (random.chance(0.08)) return null
  const area = random.spread(lowKm2, octaves)
  return area < 1 ? Math.round(area * 10_000) / 10_000 : Math.round(area * 100) / 100
}

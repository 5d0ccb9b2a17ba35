/**
 * Who holds a tenement. About 60% of all tenements have a holder that is, under some spelling, a
 * company or one of its Australian subsidiaries; the rest are held by private companies and persons
 * that are not linked. Some private names contain a company's name without belonging to it.
 */
import type { Company } from "./companies.ts"
import { distinct, makeCore, makeRoot, privateForms, spellingsOf } from "./names.ts"
import { at, type Random, weighted } from "./random.ts"
import type { Subsidiary } from "./subsidiaries.ts"

/** One name, in every spelling that the registers give it. */
type Spellings = readonly string[]
/** The names of one company: its own, then its subsidiaries'. */
type Holding = readonly Spellings[]

export interface Holders {
  /** The largest company, or null where there is none. */
  big: Holding | null
  bigShare: number
  others: readonly Holding[]
  unrelated: readonly Spellings[]
}

const linkedShare = 0.6
const privateCompanies = 600
const holderCounts = weighted([1, 860], [2, 110], [3, 28], [9, 2])

export function makeHolders(
  random: Random,
  companies: readonly Company[],
  subsidiaries: readonly Subsidiary[],
  tenements: number,
  taken: Set<string>,
): Holders {
  const australian = subsidiaries.filter(({ record }) => record.country === "Australia")
  const namesByCode = Map.groupBy(australian, ({ record }) => record.parent_asx_code)
  const holdings = companies.map(({ record, name }) =>
    [name, ...(namesByCode.get(record.asx_code) ?? []).map((subsidiary) => subsidiary.name)].map(
      spellingsOf,
    ),
  )
  return {
    big: holdings[0] ?? null,
    // Some thousands, and always more than any other company has.
    bigShare: Math.min(1 / 3, Math.max(0.04, 5000 / tenements)),
    // Every fourth company holds nothing under a name of its own.
    others: holdings.filter((_, index) => index % 4 !== 3),
    unrelated: Array.from({ length: privateCompanies }, () =>
      spellingsOf(distinct(taken, () => makePrivate(random, companies))),
    ),
  }
}

function makePrivate(random: Random, companies: readonly Company[]) {
  const isNearMiss = companies.length > 0 && random.chance(0.15)
  const core = isNearMiss
    ? `${random.pick(companies).name.core} ${makeRoot(random)} Nominees`
    : makeCore(random, "plain", random.pick(["Prospecting", "Nominees", "Mining", "Earthmoving"]))
  return { core: core.toUpperCase(), form: random.pick(privateForms) }
}

/** `A`, or `A; B` and so on without duplicates; null where the register names no holder. */
export function pickHolders(random: Random, holders: Holders): string | null {
  if (random.chance(0.004)) return null
  const count = random.pick(holderCounts)
  const first = pickHolder(random, holders)
  if (count === 1) return random.pick(first)
  const chosen = new Set([first])
  const texts = new Set([random.pick(first)])
  for (let more = 1; more < count; more++) {
    const next = pickHolder(random, holders)
    if (chosen.has(next)) continue
    chosen.add(next)
    texts.add(random.pick(next))
  }
  return [...texts].join("; ")
}

function pickHolder(random: Random, { big, bigShare, others, unrelated }: Holders): Spellings {
  const draw = random.fraction()
  if (big && draw < bigShare) return pickName(random, big)
  if (others.length > 0 && draw < linkedShare) return pickName(random, random.pickEarly(others))
  return random.chance(0.35) ? [makePerson(random)] : random.pick(unrelated)
}

function pickName(random: Random, holding: Holding): Spellings {
  return random.chance(0.35) ? at(holding, 0) : random.pick(holding)
}

/** A placeholder in the shape of a person's name, which no person bears. */
function makePerson(random: Random): string {
  const surname = String(random.below(10_000)).padStart(4, "0")
  return `SURNAME${surname}, GIVEN${String(random.below(100)).padStart(2, "0")}`
}

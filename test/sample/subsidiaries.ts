import type { Company } from "./companies.ts"
import {
  distinct,
  inSomeCase,
  makeCore,
  makeRoot,
  type Name,
  privateForms,
  textOf,
} from "./names.ts"
import { at, type Random, weighted } from "./random.ts"
import type { SubsidiaryRecord } from "./records.ts"
import { foreignCountries, tradesBySector } from "./words.ts"

export interface Subsidiary {
  record: SubsidiaryRecord
  name: Name
}

const ownership = weighted<number | null>(
  [100, 70],
  [51, 6],
  [50, 4],
  [75, 3],
  [80, 3],
  [33.33, 3],
  [90.01, 2],
  [0.5, 1],
  [null, 4],
)
const foreignForms = ["LIMITED", "INC.", "S.A.", "B.V.", "GMBH"]

/**
 * Some are a joint venture of two parents: two records of one name, whose tenements belong to both
 * companies.
 */
export function makeSubsidiaries(
  random: Random,
  companies: readonly Company[],
  count: number,
  taken: Set<string>,
): Subsidiary[] {
  const made: Subsidiary[] = []
  for (let index = 0; index < count; index++) {
    const parent = random.pickEarly(companies)
    const last = made.at(-1)
    const isVenture = index % 40 === 17 && last?.record.parent_asx_code !== parent.record.asx_code
    const country = random.chance(0.86) ? "Australia" : random.pick(foreignCountries)
    const name =
      isVenture && last ? last.name : distinct(taken, () => makeName(random, parent, country))
    const record = {
      id: `SUB-${String(index + 1).padStart(6, "0")}`,
      name: textOf(name),
      parent_asx_code: parent.record.asx_code,
      country: isVenture && last ? last.record.country : country,
      ownership_percentage: isVenture ? 40 : random.pick(ownership),
    }
    if (isVenture && last) last.record.ownership_percentage = 60
    made.push({ record, name })
  }
  return made
}

/** About half carry the parent's name and a project's, as `PARENT (PROJECT) PTY LTD`. */
function makeName(random: Random, parent: Company, country: string): Name {
  const trade = random.pick(
    at([tradesBySector.Materials, tradesBySector.Energy], random.below(2)) ?? [],
  )
  const core = random.chance(0.5)
    ? `${parent.name.core} (${makeRoot(random)})`
    : makeCore(random, "plain", trade)
  const form = random.pick(country === "Australia" ? privateForms : foreignForms)
  return inSomeCase(random, { core, form })
}

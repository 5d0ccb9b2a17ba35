/** Companies and their subsidiaries. */
import { makeName, makeRoot, type Name, nameText } from "./names.ts"
import { at, type Random, weighted } from "./random.ts"
import type { CompanyRecord, SubsidiaryRecord } from "./records.ts"

/** A company and what the generators of other resources need to know of it. */
export interface SampleCompany {
  record: CompanyRecord
  name: Name
  project: string
}

export interface Subsidiary {
  record: SubsidiaryRecord
  name: Name
}

const trades = {
  Materials: ["Resources", "Minerals", "Metals", "Mining", "Gold", "Copper", "Lithium", "Iron Ore"],
  Energy: ["Energy", "Petroleum", "Oil & Gas", "Uranium", "Coal", "Gas"],
}
const sectors = weighted<keyof typeof trades>(["Materials", 3], ["Energy", 1])
const forms = weighted(["LIMITED", 8], ["NL", 1], ["PLC", 1])

/** The first is the largest, and holds more tenements than any other. */
export const makeCompanies = (random: Random, count: number, taken: Set<string>): SampleCompany[] =>
  Array.from({ length: count }, (_, index) => {
    const sector = random.pick(sectors)
    const roots = index % 5 === 2 ? 2 : 1
    const name = makeName(
      random,
      { form: random.pick(forms), roots, trades: trades[sector] },
      taken,
    )
    const isActive = index % 8 !== 5
    const isKnown = index % 60 !== 11
    const record = {
      asx_code: codeOf(index),
      company_name: nameText(name),
      market_cap_aud: makeMarketCap(random, index, isActive),
      gics_sector: isKnown ? sector : null,
      gics_industry_group: isKnown ? sector : null,
      is_active: isActive,
    }
    return { record, name, project: makeRoot(random) }
  })

const rareLetters = "QXZJ"

/** Begins with two rare letters and has a digit, as hardly any real code. */
function codeOf(index: number): string {
  const [first, second] = [index % 4, Math.floor(index / 4) % 4].map((each) => rareLetters[each])
  return `${first}${second}${Math.floor(index / 16)}`
}

/** Most are small, some exceed 32 bits, and the first is the largest. */
function makeMarketCap(random: Random, index: number, isActive: boolean): number | null {
  if (index === 0) return 250_000_000_000
  if (index % 23 === 7 || (!isActive && random.chance(0.5))) return null
  return Math.floor(random.spread(1_200_000, random.chance(0.7) ? 7 : 17))
}

const ownership = weighted<number | null>(
  [100, 70],
  [51, 10],
  [75, 8],
  [33.33, 5],
  [90.01, 2],
  [0.5, 1],
  [null, 4],
)
const foreignCountries = ["Papua New Guinea", "Canada", "Ghana", "Peru", "Côte d'Ivoire"]

/** Some are a joint venture of two parents: two records of one name. */
export function makeSubsidiaries(
  random: Random,
  companies: readonly SampleCompany[],
  count: number,
  taken: Set<string>,
): Subsidiary[] {
  const made: Subsidiary[] = []
  for (let index = 0; index < count; index++) {
    const parent = random.pickEarly(companies)
    const isVenture = index % 40 === 17
    const own = { form: "PTY LTD", roots: 2, trades: trades.Materials }
    const name = isVenture ? at(made, index - 1).name : makeName(random, own, taken)
    const record = {
      id: `SUB-${String(index + 1).padStart(6, "0")}`,
      name: nameText(name),
      parent_asx_code: parent.record.asx_code,
      country: random.chance(0.86) ? "Australia" : random.pick(foreignCountries),
      ownership_percentage: isVenture ? 40 : random.pick(ownership),
    }
    made.push({ record, name })
  }
  return made
}

import { referenceDay } from "./dates.ts"
import {
  distinct,
  inSomeCase,
  listedForms,
  makeCore,
  makeRoot,
  type Name,
  textOf,
} from "./names.ts"
import { at, type Random, weighted } from "./random.ts"
import type { CompanyRecord } from "./records.ts"
import { nameShapes, otherTrades, tradesBySector } from "./words.ts"

/** A company and what the generators of other resources need to know of it. */
export interface Company {
  record: CompanyRecord
  name: Name
  projects: readonly string[]
  /** The last day on which it publishes. */
  lastDay: number
}

/** Codes that software mistakes for something else: a null, a boolean, numbers, a date. */
const awkwardCodes = ["NULL", "TRUE", "9X1", "1E5", "007", "0E0", "DEC1", "XQZJAA"]

/** Sector and industry group, which have the same name for Materials and Energy. */
const industries = weighted<readonly [string, string] | null>(
  [["Materials", "Materials"], 76],
  [["Energy", "Energy"], 22],
  [["Industrials", "Capital Goods"], 1],
  [["Utilities", "Utilities"], 1],
)

const rareLetters = "QXZJ"
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const digits = "0123456789"
/** l any letter, r a rare one, d a digit: real codes seldom have two rare letters. */
const codeShapes = weighted(
  ["rrl", 6],
  ["rlr", 6],
  ["lrr", 6],
  ["rdl", 1],
  ["drl", 1],
  ["ldr", 1],
  ["drd", 1],
)

/** Generates the companies; the first is the largest and holds more tenements than any other. */
export function makeCompanies(random: Random, count: number, taken: Set<string>): Company[] {
  const codes = new Set(awkwardCodes)
  return Array.from({ length: count }, (_, index) => {
    const code = awkwardCodes[index - 1] ?? makeCode(random, codes)
    const industry = index % 60 === 11 ? null : random.pick(industries)
    const trades = (industry && tradesBySector[industry[0]]) ?? otherTrades
    const shape = at(nameShapes, index % nameShapes.length)
    const name = distinct(taken, () =>
      inSomeCase(random, {
        core: makeCore(random, shape, random.pick(trades)),
        form: random.pick(listedForms),
      }),
    )
    const isActive = index % 8 !== 5
    const record = {
      asx_code: code,
      company_name: textOf(name),
      market_cap_aud: makeMarketCap(random, index, isActive),
      gics_sector: industry?.[0] ?? null,
      gics_industry_group: industry?.[1] ?? null,
      is_active: isActive,
    }
    const projects = Array.from({ length: 3 }, () => makeRoot(random))
    return { record, name, projects, lastDay: referenceDay - (isActive ? 0 : random.below(3000)) }
  })
}

function makeCode(random: Random, taken: Set<string>): string {
  for (let attempt = 0; ; attempt++) {
    // A code is longer if a short one is hard to find, and occasionally at random.
    const longer = "l".repeat(attempt > 20 || random.chance(0.02) ? 1 + random.below(3) : 0)
    const shape = random.pick(codeShapes) + longer
    const code = Array.from(shape, (kind) =>
      random.pick(Array.from(kind === "d" ? digits : kind === "r" ? rareLetters : letters)),
    ).join("")
    if (taken.has(code)) continue
    taken.add(code)
    return code
  }
}

/** Most are small, some exceed 32 bits, and the first two are the extremes. */
function makeMarketCap(random: Random, index: number, isActive: boolean): number | null {
  if (index === 0) return 250_000_000_000
  if (index === 1) return 1_200_000
  if (index % 23 === 7 || (!isActive && random.chance(0.5))) return null
  return Math.floor(random.spread(1_200_000, random.chance(0.7) ? 7 : 17))
}

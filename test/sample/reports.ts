import type { Company } from "./companies.ts"
import { dateOf, referenceDay, timeOf, weekday } from "./dates.ts"
import { at, type Random } from "./random.ts"
import type { ReportRecord } from "./records.ts"
import { makeTitle } from "./titles.ts"

const firstDay = referenceDay - 3651

/** Oldest day first, one at a time: memory does not grow with `count`. */
export function* makeReports(
  random: Random,
  count: number,
  companies: readonly Company[],
): Generator<ReportRecord> {
  const hashKey = random.uint32()
  let day = firstDay
  let second = 0
  for (let index = 0; index < count; index++) {
    const isTie = index > 0 && random.chance(0.3)
    if (!isTie) {
      day = weekday(firstDay + Math.floor((index * (referenceDay - firstDay + 1)) / count))
      second = makeSecond(random)
    }
    const date = dateOf(day)
    const { record, projects } = pickCompany(random, companies, day)
    const { type, title } = makeTitle(random, index, { project: random.pick(projects), date })
    const hash = makeHash(random, hashKey, index)
    yield {
      hash,
      asx_code: record.asx_code,
      title,
      type,
      published_at: `${date}T${timeOf(second)}Z`,
      url: `https://example.com/announcements/${hash}.pdf`,
    }
  }
}

/** Most are published in the hours before the market in Sydney opens, some during the day. */
function makeSecond(random: Random): number {
  const hour = random.chance(0.6) ? 21 + random.below(3) : random.below(9)
  return hour * 3600 + random.below(3600)
}

/** An inactive company publishes nothing after its last day; the first company is active. */
function pickCompany(random: Random, companies: readonly Company[], day: number): Company {
  for (let attempt = 0; attempt < 8; attempt++) {
    const company = random.chance(0.5) ? random.pick(companies) : random.pickEarly(companies)
    if (company.lastDay >= day) return company
  }
  return at(companies, 0)
}

/** Unique because the first eight digits are a reversible function of the index. */
function makeHash(random: Random, key: number, index: number): string {
  const own = Math.imul(index ^ key, 0x9e3779b1) >>> 0
  return hex(own) + hex(random.uint32()) + hex(random.uint32()) + hex(random.uint32())
}

function hex(word: number): string {
  return word.toString(16).padStart(8, "0")
}

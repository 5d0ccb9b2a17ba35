import type { SampleCompany } from "./companies.ts"
import { type Random, weighted } from "./random.ts"
import type { ReportRecord } from "./records.ts"
import { dayText, referenceDay } from "./tenements.ts"

const days = 3652
const metals = ["Au", "Cu", "Ni", "Li2O", "Ag", "Zn", "U3O8"]
const works = ["drilling", "soil sampling", "an airborne survey", "metallurgical test work"]

type Title = (random: Random, project: string, date: string) => string

/** Types and titles of announcements. All are invented. */
const kinds = weighted<readonly [type: string, title: Title]>(
  [["Progress Report", (random, project) => `${project}: progress of ${random.pick(works)}`], 24],
  [
    [
      "Drilling Results",
      (random, project) =>
        `${1 + random.below(90)}m @ ${random.below(30)}.${random.below(10)} g/t ${random.pick(metals)} at ${project}`,
    ],
    20,
  ],
  [
    [
      "Quarterly Activities Report",
      (_, __, date) => `Report for Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`,
    ],
    20,
  ],
  [["Annual Report", (_, __, date) => `Annual report to shareholders ${date.slice(0, 4)}`], 8],
  [["Director's Interest", () => "Change in a director's interest"], 14],
  [["Capital Raising", (random) => `Placement raises $${1 + random.below(60)} million`], 8],
  [["Presentation", (_, project) => `"Best hole yet": investor presentation, ${project}`], 6],
)

/** Oldest day first, one at a time: memory does not grow with `count`. */
export function* makeReports(
  random: Random,
  count: number,
  companies: readonly SampleCompany[],
): Generator<ReportRecord> {
  let published = ["", ""]
  for (let index = 0; index < count; index++) {
    // Some are published in the same second.
    if (index === 0 || random.chance(0.7)) {
      const day = referenceDay - days + Math.floor((index * (days + 1)) / count)
      const time = new Date(random.below(86_400) * 1000).toISOString().slice(11, 19)
      published = [dayText(day), time]
    }
    const [date = "", time = ""] = published
    const { record, project } = random.pickEarly(companies)
    const [type, title] = random.pick(kinds)
    const hash = makeHash(random, index)
    yield {
      hash,
      asx_code: record.asx_code,
      title: title(random, project, date),
      type,
      published_at: `${date}T${time}Z`,
      url: `https://example.com/announcements/${hash}.pdf`,
    }
  }
}

/** Unique because the first eight digits are a reversible function of the index. */
function makeHash(random: Random, index: number): string {
  const words = [Math.imul(index, 0x9e3779b1) >>> 0, 0, 0, 0]
  return words.map((own) => (own || random.below(2 ** 32)).toString(16).padStart(8, "0")).join("")
}

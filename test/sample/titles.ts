/** What announcements are called: types in common words, and titles of each. All invented. */
import { at, type Random, weighted } from "./random.ts"

export interface Subject {
  project: string
  /** `YYYY-MM-DD` of the publication. */
  date: string
}

interface ReportKind {
  type: string
  title(random: Random, subject: Subject): string
}

const metals = ["Au", "Cu", "Ni", "Li2O", "Ag", "Zn", "U3O8"]
const works = ["drilling", "soil sampling", "an airborne survey", "metallurgical test work"]

const width = (random: Random) => `${1 + random.below(90)}m`
const grade = (random: Random) =>
  `${random.below(30)}.${random.below(10)} g/t ${random.pick(metals)}`
const quarter = ({ date }: Subject) =>
  `Q${Math.ceil(Number(date.slice(5, 7)) / 3)} ${date.slice(0, 4)}`

const kinds: readonly ReportKind[] = weighted<ReportKind>(
  [{ type: "Progress Report", title: (r, s) => `${s.project}: progress of ${r.pick(works)}` }, 20],
  [
    {
      type: "Drilling Results",
      title: (r, s) => `${width(r)} @ ${grade(r)} from ${r.below(400)}m at ${s.project}`,
    },
    16,
  ],
  [
    { type: "Quarterly Activities Report", title: (_, s) => `Activities report for ${quarter(s)}` },
    12,
  ],
  [
    { type: "Quarterly Cash Flow Report", title: (_, s) => `Cash flow report for ${quarter(s)}` },
    9,
  ],
  [
    {
      type: "Annual Report",
      title: (_, s) => `Annual report to shareholders ${s.date.slice(0, 4)}`,
    },
    5,
  ],
  [{ type: "Half-Year Report", title: (_, s) => `Half-year accounts ${s.date.slice(0, 4)}` }, 5],
  [{ type: "Director's Interest", title: () => "Change in a director's interest" }, 10],
  [
    { type: "Shareholding", title: (r) => `Change in a holding of ${5 + r.below(25)}% of shares` },
    6,
  ],
  [{ type: "Capital Raising", title: (r) => `Placement raises $${1 + r.below(60)} million` }, 6],
  [{ type: "Presentation", title: (_, s) => `Investor presentation, ${s.project} project` }, 6],
  [
    {
      type: "Resource Estimate",
      title: (r, s) => `${s.project} resource grows to ${1 + r.below(400)} Mt, ${grade(r)}`,
    },
    3,
  ],
  [{ type: "Trading Halt", title: () => "Trading halt" }, 2],
)

/**
 * Titles that are difficult for a spreadsheet, a CSV writer or a search: every 97th is one, in
 * turn. The first four begin like a formula; the wildcards of LIKE, a tab and a backslash must be
 * literal. Line breaks do not occur in titles.
 */
const oddTitles: readonly ((subject: Subject) => string)[] = [
  ({ project }) => `=${project} update and next steps`,
  ({ project }) => `+38% grade at ${project}`,
  ({ project }) => `-75 micron test work, ${project}`,
  ({ project }) => `@${project}: notes of the site visit`,
  ({ project }) => `"Best hole yet", and more to come at ${project}, "says the drill"`,
  ({ project }) => `${project}\tresults\ttable of intercepts`,
  ({ project }) => `Interest in ${project} rises from 51% to 100%`,
  ({ project }) => `${project}_final_version_2`,
  ({ project }) => `${project} gold\\copper ratio`,
  ({ project }) => `${project} – 12 µm grind at 60 °C`,
  ({ project }) =>
    `Correction: ${`${project} extension, infill and regional holes; `.repeat(12)}end`,
]

export function makeTitle(random: Random, index: number, subject: Subject) {
  const kind = random.pick(kinds)
  const title = kind.title(random, subject)
  if (index % 97 !== 96) return { type: kind.type, title }
  const odd = at(oddTitles, Math.floor(index / 97) % oddTitles.length)
  return { type: kind.type, title: odd(subject) }
}

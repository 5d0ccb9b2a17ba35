/**
 * Groups announcements by words of the type, in the exchange's vocabulary, or else of the title. The first
 * matching group wins. `%` matches any text.
 */
import { fold } from "../../system/text/fold.ts"

export const reportGroups = [
  "quarterly",
  "annual",
  "drilling",
  "resource",
  "capital",
  "director",
  "other",
] as const

type Words = readonly (readonly [group: (typeof reportGroups)[number], words: string])[]

const ofTypes: Words = [
  ["quarterly", "quarter"],
  ["annual", "annual report|full year|preliminary final|concise financial|12 month"],
  ["resource", "mineral resource|ore reserve|resource estimat"],
  ["drilling", "drill|assay|exploration result"],
  [
    "capital",
    "appendix 2a|appendix 3a|appendix 3b|appendix 3g|appendix 3h|capital|cleansing|placement|renounceable|purchase plan|buy-back|bonus issue|issues to the public|disclosure document|new issue|notice of call|announcement of call|securities on issue|bookbuild",
  ],
  [
    "director",
    "director%s interest|director appointment|director - appointment|chair appointment|chairman appointment",
  ],
]

/** Phrases with `resource`, never the bare word, because many companies have it in their names. */
const ofTitle: Words = [
  [
    "quarterly",
    "quarterly report|quarterly activit|quarterly cash|quarterly production|quarterly result|quarter activit|quarter production",
  ],
  ["annual", "annual report|annual financial"],
  [
    "resource",
    "mineral resource|ore reserve|jorc|maiden resource|maiden reserve|inferred resource|indicated resource|measured resource|resource estimat|resource updat|resource upgrad|resource increas|resource statement|resource expan|reserve estimat|reserve updat|reserve upgrad|reserve increas|reserve statement",
  ],
  ["drilling", "drill|assay|intersect|intercept|g/t|m @ "],
  [
    "capital",
    "placement|capital rais|rights issue|entitlement offer|entitlement issue|purchase plan|buy-back",
  ],
  [
    "director",
    "appoint%director|resign%director|retire%director|director%appoint|director%resign|director%retire",
  ],
]

/** Returns the first group that one of its words names in a folded text. */
function firstGroup(words: Words): (folded: string) => (typeof reportGroups)[number] | undefined {
  const patterns = words.map(
    ([group, alternatives]) =>
      [group, new RegExp(alternatives.replaceAll("%", ".*"), "s")] as const,
  )
  return (folded) => patterns.find(([, pattern]) => pattern.test(folded))?.[0]
}

const groupOfTypes = firstGroup(ofTypes)
const groupOfTitle = firstGroup(ofTitle)

/** Of announcements about a quarterly report that are none: webcasts, calls and their dates. */
const talk = /web ?cast|webinar|(conference|investor) call|teleconference|briefing|reporting date/

/** Returns the group of an announcement. */
export function reportGroup(type: string, title: string): (typeof reportGroups)[number] {
  const byType = groupOfTypes(fold(type))
  const group = byType ?? groupOfTitle(fold(title)) ?? "other"
  // A report may have the type of a webcast too, but not its title.
  const words = fold(byType ? title : `${type} ${title}`)
  return group === "quarterly" && talk.test(words) ? "other" : group
}

/**
 * The groups of announcements: by words of the types, in the exchange's vocabulary, or else of the title. The
 * first pattern that matches decides.
 */

import { type SQL, sql } from "drizzle-orm"
import { literals } from "./columns.ts"

export const reportGroups = [
  "quarterly",
  "annual",
  "drilling",
  "resource",
  "capital",
  "director",
  "other",
] as const

type Patterns = readonly (readonly [group: (typeof reportGroups)[number], pattern: string])[]

const ofTypes: Patterns = [
  ["quarterly", "quarter"],
  ["annual", "annual report|full year|preliminary final|concise financial|12 month"],
  ["resource", "mineral resource|ore reserve|resource estimat"],
  ["drilling", "drill|assay|exploration result"],
  [
    "capital",
    "appendix (2a|3[a-h])|capital|cleansing|placement|renounceable|purchase plan|buy-back|bonus issue|issues to the public|disclosure document|new issue|(notice|announcement) of call|securities on issue|bookbuild",
  ],
  ["director", "director.?s interest|(director|chair|chairman) (- )?appointment"],
]

/** Not `resources` alone, which is part of many names of companies. */
const ofTitle: Patterns = [
  ["quarterly", "(quarterly|quarter) (report|activit|cash|production|result)"],
  ["annual", "annual (report|financial)"],
  [
    "resource",
    "mineral resource|ore reserve|jorc|(maiden|inferred|indicated|measured) (resource|reserve)|(resource|reserve) (estimat|updat|upgrad|increas|statement|expan)",
  ],
  ["drilling", "drill|assay|intersect|intercept|g/t|[0-9]m (@|at) "],
  [
    "capital",
    "placement|capital rais|rights issue|entitlement (offer|issue)|purchase plan|buy-back",
  ],
  ["director", "(appoint|resign|retire).*director|director.*(appoint|resign|retire)"],
]

const cases = (column: string, patterns: Patterns): SQL[] =>
  patterns.map(
    ([group, pattern]) =>
      sql`when ${sql.raw(column)} ~* ${literals([pattern])} then ${literals([group])}`,
  )

/** The group of a report, over its columns `type` and `title`. */
export const reportGroup: SQL = sql`case ${sql.join([...cases("type", ofTypes), ...cases("title", ofTitle)], sql` `)} else 'other' end`

import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { reportsHistory as history, reports as table } from "../db/schema.ts"
import { fold, splitValues } from "../text/fold.ts"
import { equals, includes } from "./conditions.ts"
import { derived, field, filter, type Resource } from "./resource.ts"
import { termFilter } from "./term-filter.ts"
import {
  asxCode,
  asxCodeFromText,
  calendarDate,
  folded,
  freeText,
  pathSafeId,
  publishedAt,
  text,
} from "./values.ts"

/** Company announcements. */
export const reports: Resource = {
  name: "reports",
  table,
  history,
  since: table.since_release,
  key: "hash",
  keyFromPath: (hash) => hash,
  fields: {
    hash: field(table.hash, pathSafeId),
    asx_code: field(table.asx_code, asxCode),
    title: field(table.title, Type.String()),
    type: field(
      table.type,
      Type.String({ description: "Report type; several are listed as A; B" }),
    ),
    published_at: publishedAt(table.published_at),
    url: field(table.url, Type.String({ format: "uri" })),
  },
  filters: {
    company: filter(freeText("ASX code"), equals(table.asx_code), asxCodeFromText),
    type: filter(
      freeText("Report type; one of several is enough"),
      includes(table.types_folded),
      fold,
    ),
    from: filter(
      calendarDate("First day (UTC), included"),
      (day) => sql`${table.published_at} >= ${day}::date::timestamp at time zone 'UTC'`,
    ),
    to: filter(
      calendarDate("Last day (UTC), included"),
      (day) => sql`${table.published_at} < (${day}::date + 1)::timestamp at time zone 'UTC'`,
    ),
    search: termFilter("Part of the title", table.title_folded),
  },
  sorts: {},
  defaultOrder: [{ column: table.published_at, direction: "desc" }],
  derived: {
    title_folded: derived("title", folded),
    types_folded: derived("type", (value) => foldedTypes(text(value))),
  },
}

/** The values that the filter `type` matches: each type of a report, and all of them as written. */
const foldedTypes = (types: string): string[] => [
  ...new Set([...splitValues(types), types].filter((type) => type !== "").map(fold)),
]

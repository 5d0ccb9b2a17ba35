import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { fold, splitValues } from "../../system/text/fold.ts"
import { startOfDay, sydney, timezones } from "../../system/text/time.ts"
import { reportsHistory as history, reportsTable as table } from "../db/schema.ts"
import { companyFilter, equals, includes, termFilter } from "./conditions.ts"
import { reportGroup, reportGroups } from "./report-groups.ts"
import { filter, type Resource } from "./resource.ts"
import {
  asxCodeOf,
  calendarDate,
  fieldsOf,
  folded,
  instantOf,
  oneOf,
  pathSafeId,
  provenanceOf,
  textSchema,
  textValue,
  wholeText,
} from "./values.ts"

/** Company announcements. */
export const reports: Resource = {
  name: "reports",
  singular: "report",
  description: "Announcements that companies made to the ASX.",
  table,
  history,
  since: table.since_release,
  key: "hash",
  fields: {
    ...fieldsOf(table, {
      hash: pathSafeId("0f4c2d1e8b7a69583746251403f2e1d0"),
      asx_code: asxCodeOf("ASX code of the company"),
      title: textSchema("Title", "Drilling extends Example Hill, and a new lode"),
      type: textSchema("Type; several are listed as A; B", "Progress report; Assays"),
      published_at: instantOf(
        "When it was published, in UTC, to the second",
        "2026-01-29T22:41:07Z",
      ),
      url: Type.String({
        format: "uri",
        description: "Address of the document",
        examples: ["https://example.com/announcements/0f4c2d1e8b7a69583746251403f2e1d0.pdf"],
      }),
    }),
    ...provenanceOf(table),
  },
  filters: {
    company: companyFilter(
      "ASX code of the company, in upper or lower case",
      equals(table.asx_code),
    ),
    type: {
      ...filter(
        wholeText("Type, in upper or lower case; one of several is enough", "Progress Report"),
        includes(table.types_folded),
        fold,
      ),
      values: { column: table.type, isList: true },
    },
    group: {
      ...filter(
        oneOf(reportGroups, {
          description:
            "Group, by words of the type or, where those name no group, of the title. `quarterly` has no webcasts, calls and dates of reports; `annual` has annual reports and full-year accounts, not half-year ones; `capital` has issues, placements and buy-backs; `director` has appointments and interests",
          examples: ["drilling"],
        }),
        equals(table.report_group),
      ),
      values: { column: table.report_group, each: sql`array[${table.report_group}]` },
    },
    from: filter(
      calendarDate("First day, included", "2026-01-01"),
      (start) => sql`${table.published_at} >= to_timestamp(${start}::float8)`,
      undefined,
      (day, { timezone }) => startOfDay(day, String(timezone)),
    ),
    to: filter(
      calendarDate("Last day, included", "2026-01-31"),
      (end) => sql`${table.published_at} < to_timestamp(${end}::float8)`,
      undefined,
      (day, { timezone }) => startOfDay(day, String(timezone), 1),
    ),
    search: termFilter("Part of the title", "drilling", table.title_folded),
  },
  parameters: {
    timezone: oneOf(timezones, {
      default: "UTC",
      description: "Time zone of the days `from` and `to`. Records always have times in UTC",
      examples: [sydney],
    }),
  },
  sorts: {},
  defaultOrder: [{ column: table.published_at, direction: "desc" }],
  derived: {
    title_folded: { from: ["title"], derive: folded },
    types_folded: { from: ["type"], derive: (value) => foldedTypes(textValue(value)) },
    report_group: {
      from: ["type", "title"],
      derive: (type, title) => reportGroup(textValue(type), textValue(title)),
      rule: "report_groups",
    },
  },
}

/** The values that the filter `type` matches: each type of a report, and the whole text. */
const foldedTypes = (types: string): string[] => [
  ...new Set([...splitValues(types), types].filter((type) => type !== "").map(fold)),
]

/**
 * The four resources in their own columns: a header (or JSON keys) of field names, as the service
 * exports them. So an export can be loaded, and a computed field that it carries is ignored.
 */
import { companies } from "../resources/companies.ts"
import { reports } from "../resources/reports.ts"
import type { Resource } from "../resources/resource.ts"
import { subsidiaries } from "../resources/subsidiaries.ts"
import { tenements } from "../resources/tenements.ts"
import type { MapOptions, RawRecord, Source } from "./source.ts"
import { subsidiaryId } from "./subsidiary-id.ts"

export const ownCompanies = ownColumns(companies)
export const ownTenements = ownColumns(tenements)
export const ownReports = ownColumns(reports)
export const ownSubsidiaries = ownColumns(subsidiaries, ["id"], withId)

function ownColumns(
  resource: Resource,
  mayBeAbsent: readonly string[] = [],
  complete: (record: RawRecord) => RawRecord = (record) => record,
): Source {
  const fields = Object.entries(resource.fields)
  const isRequired = ([name, field]: (typeof fields)[number]) =>
    field.loaded && !field.nullable && !mayBeAbsent.includes(name)
  const names = (entries: typeof fields) => entries.map(([name]) => name)
  return {
    name: resource.name,
    description: `${resource.name} in the columns ${names(fields).join(", ")}`,
    resource,
    columns: {
      required: names(fields.filter(isRequired)),
      optional: names(fields.filter((field) => !isRequired(field))),
      others: "refuse",
    },
    complete: true,
    whenMissing: "remove",
    map: (raw, { format }) => ({ record: complete(withoutFormulaGuard(raw, format)) }),
  }
}

/**
 * Exports write `'` before text that a spreadsheet would run as a formula; here it is taken off. So
 * text that itself begins with `'=` is read without its `'`, in CSV and TSV; NDJSON is read as it is.
 */
function withoutFormulaGuard(raw: RawRecord, format: MapOptions["format"]): RawRecord {
  if (format === "ndjson") return raw
  const unguarded: Record<string, unknown> = {}
  for (const name in raw) {
    const value = raw[name]
    unguarded[name] = typeof value === "string" && guarded.test(value) ? value.slice(1) : value
  }
  return unguarded
}

const guarded = /^'[=+\-@\t\r]/

function withId(record: RawRecord): RawRecord {
  const { id, name, parent_asx_code } = record
  if (typeof name !== "string" || typeof parent_asx_code !== "string") return record
  const isAbsent = id === undefined || id === null || id === ""
  return isAbsent ? { ...record, id: subsidiaryId(parent_asx_code, name) } : record
}

/**
 * The four resources in their own columns: a header (or JSON keys) of field names, as the service
 * exports them. So an export can be loaded, and a computed field that it carries is ignored.
 */
import { companies } from "../resources/companies.ts"
import { reports } from "../resources/reports.ts"
import type { Resource } from "../resources/resource.ts"
import { subsidiaries } from "../resources/subsidiaries.ts"
import { tenements } from "../resources/tenements.ts"
import { unguardFormula } from "../text/csv-cell.ts"
import type { MapOptions, RawRecord, Source } from "./source.ts"
import { subsidiaryId } from "./subsidiary-id.ts"

export const ownCompanies = ownColumns(companies)
export const ownTenements = ownColumns(tenements)
export const ownReports = ownColumns(reports)
/**
 * A load writes the holders that belong to no company as such a file: without parents, and with the
 * number of their tenements beside them. A person fills in the parents that there are.
 */
export const ownSubsidiaries: Source = ownColumns(subsidiaries, {
  mayBeAbsent: ["id"],
  ignored: ["tenements"],
  complete: withId,
  leaveOut: withoutParent,
})

interface Exceptions {
  /** Required fields that `complete` gives where a file has none. */
  mayBeAbsent?: readonly string[]
  /** Columns that are no fields. */
  ignored?: readonly string[]
  complete?: (record: RawRecord) => RawRecord
  /** The reason why a row is no record, if it is none. */
  leaveOut?: (record: RawRecord) => string | undefined
}

function ownColumns(
  resource: Resource,
  {
    mayBeAbsent = [],
    ignored = [],
    complete = (record) => record,
    leaveOut = () => undefined,
  }: Exceptions = {},
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
      optional: [...names(fields.filter((field) => !isRequired(field))), ...ignored],
      others: "refuse",
    },
    complete: true,
    whenMissing: "remove",
    map: (raw, { format }) => {
      const record = withoutFormulaGuard(raw, format)
      const leftOut = leaveOut(record)
      return leftOut === undefined ? { record: complete(record) } : { leftOut }
    },
  }
}

/**
 * Exports write `'` before text that a spreadsheet would run as a formula; here it is taken off. So
 * text that itself begins with `'=` is read without its `'`, in CSV and TSV; the other forms are read as they are.
 */
function withoutFormulaGuard(raw: RawRecord, format: MapOptions["format"]): RawRecord {
  if (format !== "csv" && format !== "tsv") return raw
  const unguarded: Record<string, unknown> = {}
  for (const name in raw) {
    const value = raw[name]
    unguarded[name] = typeof value === "string" ? unguardFormula(value) : value
  }
  return unguarded
}

function withoutParent({ id, parent_asx_code }: RawRecord): string | undefined {
  const isNew = isBlank(id) && isBlank(parent_asx_code)
  return isNew ? "no parent_asx_code yet" : undefined
}

function withId(record: RawRecord): RawRecord {
  const { id, name, parent_asx_code } = record
  if (typeof name !== "string" || typeof parent_asx_code !== "string") return record
  return isBlank(id) ? { ...record, id: subsidiaryId(parent_asx_code, name) } : record
}

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

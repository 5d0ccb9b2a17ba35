/**
 * The four resources in their own columns: a header (or JSON keys) of field names, as the service
 * exports them. So an export can be loaded; its computed fields are ignored.
 */
import { companies } from "../resources/companies.ts"
import { reports } from "../resources/reports.ts"
import type { Resource } from "../resources/resource.ts"
import { subsidiaries } from "../resources/subsidiaries.ts"
import { tenements } from "../resources/tenements.ts"
import { unguardFormula } from "../text/delimited.ts"
import type { MapOptions, RawRecord, Source } from "./source.ts"
import { subsidiaryId } from "./subsidiary-id.ts"

export const ownCompanies = ownColumns(companies)
export const ownTenements = ownColumns(tenements)
export const ownReports = ownColumns(reports)
/**
 * The unlinked holders are written as such a file: without parents, and with the number of their
 * tenements and, where asked, the companies that they may belong to. A person fills in the parents.
 */
export const ownSubsidiaries: Source = ownColumns(subsidiaries, {
  mayBeAbsent: ["id"],
  ignored: [
    "tenements",
    "suggested_asx_code",
    "suggested_company",
    "suggested_is_active",
    "reason",
    "similar_name",
  ],
  complete: withId,
  leaveOut: withoutParent,
})

interface Exceptions {
  /** Required fields that `complete` fills in where a file lacks them. */
  mayBeAbsent?: readonly string[]
  /** Columns that are not fields. */
  ignored?: readonly string[]
  complete?: (record: RawRecord) => RawRecord
  /** The reason to leave a row out, if there is one. */
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
    missingGoAtOnce: true,
    fromOptional: Object.fromEntries(
      names(fields.filter(([, field]) => field.loaded && field.nullable)).map((name) => [
        name,
        [name],
      ]),
    ),
    map: (raw, { format }) => {
      const record = withoutFormulaGuard(raw, format)
      const leftOut = leaveOut(record)
      return leftOut === undefined ? { record: complete(record) } : { leftOut }
    },
  }
}

/**
 * Exports write `'` before text that a spreadsheet would run as a formula; it is removed here. So
 * text that itself begins with `'=` loses its `'` in CSV and TSV; the other formats are read
 * unchanged.
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

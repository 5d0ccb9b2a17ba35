/**
 * The loaded resources in their own columns: a header (or JSON keys) of field names, as the service
 * exports them. So an export can be loaded; its computed fields are ignored.
 */

import { unguardFormula } from "../../api/http/delimited.ts"
import { asxCodePattern } from "../../data/db/columns.ts"
import { states } from "../../data/db/schema.ts"
import { companies } from "../../data/resources/companies.ts"
import { declarations } from "../../data/resources/declared-tenements.ts"
import { reports } from "../../data/resources/reports.ts"
import type { Resource } from "../../data/resources/resource.ts"
import { subsidiaries } from "../../data/resources/subsidiaries.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"
import { referenceKey } from "../../system/text/reference-key.ts"
import type { MapOptions, Mapped, RawRecord, Source } from "./source.ts"
import { subsidiaryId } from "./subsidiary-id.ts"

export const ownCompanies = ownColumns(companies)
export const ownTenements = ownColumns(tenements)
export const ownReports = ownColumns(reports)

const exportedSubsidiaries = ownColumns(subsidiaries)
const { required, optional } = exportedSubsidiaries.columns

/** Columns of a file of holders that a person reads before deciding on the parents. */
export const suggestedColumns = [
  "tenements",
  "suggested_asx_code",
  "suggested_company",
  "suggested_is_active",
  "reason",
  "similar_name",
]

/**
 * `mds holders` prints the unlinked holders as such a file: without parents, and with the number of their
 * tenements and, where asked, the companies that they may belong to. A person fills in the parents.
 */
export const ownSubsidiaries: Source = {
  ...exportedSubsidiaries,
  columns: {
    required: required.filter((name) => name !== "id"),
    optional: ["id", ...optional, ...suggestedColumns],
    others: "refuse",
  },
  map: (raw, { format }) => {
    const record = withoutFormulaGuard(raw, format)
    const isNew = isBlank(record.id) && isBlank(record.parent_asx_code)
    return isNew ? { leftOut: "no parent_asx_code yet" } : withId(record)
  },
}

/** The schedules of tenements in companies' reports. A file has the whole schedule of each company in it. */
export const ownDeclaredTenements: Source = {
  ...ownColumns(declarations),
  name: "declared-tenements",
  description:
    "tenements that companies declare, in the columns asx_code, state, tenement_id, interest_percent, as_at, url",
  columns: {
    required: ["asx_code", "state", "tenement_id"],
    optional: ["interest_percent", "as_at", "url"],
    others: "refuse",
  },
  completeBy: "asx_code",
  map: (raw, { format }) => {
    const record = withoutFormulaGuard(raw, format)
    const { asx_code, state, tenement_id } = record
    if (typeof asx_code !== "string" || typeof tenement_id !== "string") return { record }
    const number = referenceKey(tenement_id).replaceAll(" ", "-")
    return {
      record: { ...record, id: `${asxCodeFromText(asx_code.trim())}-${state}-${number}` },
      hasCertainKey: isCode(asx_code) && states.some((each) => each === state),
    }
  },
}

function ownColumns(resource: Resource): Source {
  const fields = Object.entries(resource.fields).filter(
    ([, { shown, loaded }]) => shown === "always" || (shown === "asked" && loaded),
  )
  const isRequired = ([, field]: (typeof fields)[number]) => field.loaded && !field.nullable
  const names = (entries: typeof fields) => entries.map(([name]) => name)
  // The coordinates follow from the geometry.
  const placeNames = resource.hasShapes ? ["geometry", "latitude", "longitude"] : []
  return {
    name: resource.name,
    description: `${resource.name} in the columns ${[...names(fields), ...placeNames.slice(0, 1)].join(", ")}`,
    resource,
    columns: {
      required: names(fields.filter(isRequired)),
      optional: [...names(fields.filter((field) => !isRequired(field))), ...placeNames],
      others: "refuse",
    },
    complete: true,
    removesMissingAtOnce: true,
    fromOptional: Object.fromEntries(
      names(fields.filter(([, field]) => field.loaded && field.nullable)).map((name) => [
        name,
        [name],
      ]),
    ),
    map: (raw, { format }) => ({ record: withoutFormulaGuard(raw, format) }),
  }
}

/**
 * Removes the `'` that exports write before text that a spreadsheet would run as a formula. So text that
 * itself begins with `'=` loses its `'` in CSV and TSV; other formats are read unchanged.
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

function withId(record: RawRecord): Mapped {
  const { id, name, parent_asx_code } = record
  if (typeof name !== "string" || typeof parent_asx_code !== "string" || !isBlank(id))
    return { record }
  return {
    record: { ...record, id: subsidiaryId(parent_asx_code, name) },
    hasCertainKey: isCode(parent_asx_code),
  }
}

const isCode = (text: string) => new RegExp(asxCodePattern, "i").test(text.trim())

const isBlank = (value: unknown) =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "")

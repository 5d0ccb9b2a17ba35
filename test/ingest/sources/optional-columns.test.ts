/** Every source declares which fields are read from columns that its files may lack. */
import { expect, test } from "bun:test"
import { loadedFields } from "../../../src/data/resources/resource.ts"
import { loadableSources } from "../../../src/ingest/sources/catalogue.ts"

/** Columns that no field is read from alone: the field has another column, or follows from the rest. */
const decideNothingAlone: Record<string, readonly string[]> = {
  "asx-announcements": ["fileSize", "isPriceSensitive"],
  subsidiaries: [
    "id",
    "tenements",
    "suggested_asx_code",
    "suggested_company",
    "suggested_is_active",
    "reason",
    "similar_name",
  ],
  companies: ["total_tenements"],
  tenements: ["geometry", "latitude", "longitude"],
  wa: ["holder2", "holder3", "holder4", "holder5", "holder6", "holder7", "holder8", "holder9"],
  qld: ["substatus", "dateRange"],
  sa: ["status", "outcome", "released"],
  nsw: ["code", "act", "company", "type", "status"],
}
/** Of the national view, which each state's source reads too: an area may be in another column. */
const viewDecides = ["area", "identifier", "state", "jurisdiction"]

test.each(loadableSources.map((source) => [source.name, source] as const))(
  "%s declares the fields of its optional columns",
  (name, { columns, fromOptional = {}, resource }) => {
    const declared = Object.values(fromOptional).flat()
    const { optional, other } = columns
    const others = [...(decideNothingAlone[name] ?? []), ...(other ? viewDecides : [])]
    const all = new Set([...optional, ...(other?.optional ?? [])])
    expect([...new Set([...declared, ...others])].sort()).toEqual([...all].sort())
    const loaded = Object.fromEntries(loadedFields(resource))
    for (const field of Object.keys(fromOptional)) {
      expect([field, loaded[field]?.nullable]).toEqual([field, true])
    }
  },
)

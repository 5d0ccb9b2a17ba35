import { Type } from "@sinclair/typebox"
import { subsidiariesHistory as history, subsidiaries as table } from "../db/schema.ts"
import { equals } from "./conditions.ts"
import { derived, field, type Resource } from "./resource.ts"
import { asxCode, folded, nameKey, pathSafeId } from "./values.ts"

/** Companies that an ASX-listed company owns, wholly or in part. */
export const subsidiaries: Resource = {
  name: "subsidiaries",
  table,
  history,
  since: table.since_release,
  key: "id",
  keyFromPath: (id) => id,
  fields: {
    id: field(table.id, pathSafeId),
    name: field(table.name, Type.String()),
    parent_asx_code: field(table.parent_asx_code, asxCode),
    country: field(table.country, Type.String()),
    ownership_percentage: field(
      table.ownership_percentage,
      Type.Number({ minimum: 0, maximum: 100, description: "0 to 100" }),
    ),
  },
  filters: {},
  sorts: {},
  defaultOrder: [{ column: table.name_folded, direction: "asc" }],
  derived: {
    name_folded: derived("name", folded),
    name_key: derived("name", nameKey),
  },
  links: "names",
}

/** The subsidiaries of a company. */
export const ofParent = equals(table.parent_asx_code)

import { Type } from "@sinclair/typebox"
import { subsidiariesHistory as history, subsidiariesTable as table } from "../db/schema.ts"
import { equals } from "./conditions.ts"
import type { Resource } from "./resource.ts"
import {
  asxCodeOf,
  fieldsOf,
  folded,
  nameKey,
  pathSafeId,
  provenanceOf,
  textSchema,
} from "./values.ts"

/** Companies that an ASX-listed company owns, wholly or in part. */
export const subsidiaries: Resource = {
  name: "subsidiaries",
  singular: "subsidiary",
  description: "Companies that an ASX-listed company owns, wholly or in part.",
  table,
  history,
  since: table.since_release,
  key: "id",
  fields: {
    ...fieldsOf(table, {
      id: pathSafeId("XMR-EXAMPLE-GOLD-PTY-LTD"),
      name: textSchema("Name", "EXAMPLE GOLD PTY LTD"),
      parent_asx_code: asxCodeOf("ASX code of the parent company"),
      country: textSchema("Country", "Australia"),
      ownership_percentage: Type.Number({
        minimum: 0,
        maximum: 100,
        description: "Share of it that the parent owns, in percent",
        examples: [62.5],
      }),
    }),
    ...provenanceOf(table),
  },
  filters: {},
  sorts: {},
  defaultOrder: [{ column: table.name_folded, direction: "asc" }],
  derived: {
    name_folded: { from: ["name"], derive: folded },
    name_key: { from: ["name"], derive: nameKey, rule: "names", unseen: true },
  },
  links: "names",
}

/** The subsidiaries of a company. */
export const belongsToParent = equals(table.parent_asx_code)

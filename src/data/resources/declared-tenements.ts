import { Type } from "@sinclair/typebox"
import { referenceKey } from "../../system/text/reference-key.ts"
import {
  declaredTenementsHistory as history,
  states,
  declaredTenements as table,
} from "../db/schema.ts"
import type { Resource } from "./resource.ts"
import {
  asxCodeOf,
  calendarDate,
  fieldsOf,
  oneOf,
  pathSafeId,
  provenanceOf,
  textSchema,
  textValue,
} from "./values.ts"

/**
 * The tenements that companies declare in their reports. Each links every tenement of its state and number to
 * its company. No endpoint lists them.
 */
export const declarations: Resource = {
  name: "declared_tenements",
  singular: "declared tenement",
  description: "Tenements that companies declare in their reports.",
  table,
  history,
  since: table.since_release,
  key: "id",
  fields: {
    ...fieldsOf(table, {
      id: pathSafeId("XMR-WA-E-00000047-00009001"),
      asx_code: asxCodeOf("ASX code of the company"),
      state: oneOf(states, { description: "State or territory", examples: ["WA"] }),
      tenement_id: textSchema("Reference, as the company writes it", "E47/9001"),
      interest_percent: Type.Number({
        exclusiveMinimum: 0,
        maximum: 100,
        description: "Interest of the company, in percent",
      }),
      as_at: calendarDate("The day on which the declaration was true", "2026-06-30"),
      url: Type.String({ format: "uri", description: "Address of the report that declares it" }),
    }),
    ...provenanceOf(table),
  },
  filters: {},
  sorts: {},
  derived: {
    reference_key: {
      from: ["tenement_id"],
      derive: (value) => referenceKey(textValue(value)),
      rule: "references",
      unseen: true,
    },
  },
  links: "names",
}

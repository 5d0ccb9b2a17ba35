import { Type } from "@sinclair/typebox"
import { tenementsHistory as history, states, tenements as table } from "../db/schema.ts"
import { normaliseName } from "../text/company-name.ts"
import { fold, splitValues } from "../text/fold.ts"
import { oneOf } from "../text/one-of.ts"
import { equals, includes } from "./conditions.ts"
import { derived, field, filter, type Resource } from "./resource.ts"
import { termFilter } from "./term-filter.ts"
import { calendarDate, foldedOrNull, freeText, pathSafeId, text } from "./values.ts"

/** Mining tenements of all Australian states. */
export const tenements: Resource = {
  name: "tenements",
  table,
  history,
  since: table.since_release,
  key: "id",
  keyFromPath: (id) => id,
  fields: {
    id: field(table.id, pathSafeId),
    tenement_id: field(table.tenement_id, Type.String({ description: "Tenement reference" })),
    state: field(table.state, oneOf(states)),
    status: field(table.status, Type.String({ description: "Tenement status" })),
    type: field(table.type, Type.String({ description: "Tenement type" })),
    holder_name: field(
      table.holder_name,
      Type.String({ description: "Holder of the tenement; several are listed as A; B" }),
    ),
    grant_date: field(table.grant_date, calendarDate("Day of grant")),
    expiry_date: field(table.expiry_date, calendarDate("Day of expiry")),
    area_km2: field(
      table.area_km2,
      Type.Number({ minimum: 0, description: "Area in square kilometres" }),
    ),
  },
  filters: {
    state: filter(oneOf(states, { description: "State" }), equals(table.state)),
    status: filter(freeText("Tenement status"), equals(table.status_folded), fold),
    type: filter(freeText("Tenement type"), equals(table.type_folded), fold),
    holder: termFilter("Part of the holder's name", table.holder_name_folded),
  },
  sorts: {},
  defaultOrder: [{ column: table.id, direction: "asc" }],
  derived: {
    status_folded: derived("status", foldedOrNull),
    type_folded: derived("type", foldedOrNull),
    holder_name_folded: derived("holder_name", foldedOrNull),
    holder_keys: derived("holder_name", (value) => holderKeys(text(value))),
  },
  links: "holders",
}

/** The tenements linked to a company: it or one of its subsidiaries holds them. */
export const ofCompany = includes(table.asx_codes)

const holderKeys = (holderName: string): string[] => [
  ...new Set(
    splitValues(holderName)
      .map(normaliseName)
      .filter((key) => key !== ""),
  ),
]

import type { ApiView } from "./api-view.ts"

/**
 * What a column holds. A program must be told, or it takes a reference such as 5678 for a number and
 * the code NA for a missing value.
 */
export type ColumnKind = "text" | "date" | "instant" | "integer" | "number" | "logical"

export const columnsOf = ({ resource }: ApiView): [name: string, kind: ColumnKind][] =>
  Object.entries(resource.fields).map(([name, { schema }]) => [
    name,
    ofFormat[schema.format] ?? ofType[schema.type] ?? "text",
  ])

const ofFormat: Readonly<Record<string, ColumnKind>> = { date: "date", "date-time": "instant" }

const ofType: Readonly<Record<string, ColumnKind>> = {
  integer: "integer",
  number: "number",
  boolean: "logical",
}

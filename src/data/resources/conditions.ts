/** Conditions of filters, which make SQL of a bound value, and declarations of common filters. */
import { Type } from "@sinclair/typebox"
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { fold } from "../../system/text/fold.ts"
import { unknownLast } from "../db/columns.ts"
import { type Area, canonicalNumbers } from "../places/area.ts"
import { type Filter, filter, keyColumn, type Readable } from "./resource.ts"
import { asxCodeFromText, calendarDate, freeText, wholeText } from "./values.ts"

/** The column of folded text contains the bound pattern, which `containing` makes. */
export const contains = (column: PgColumn | SQL) => (pattern: SQL) => sql`${column} like ${pattern}`

/** The LIKE pattern for text that contains this folded text. Wildcards in the text are escaped. */
export const containing = (folded: string): string => `%${folded.replace(/[\\%_]/g, "\\$&")}%`

export const equals = (column: PgColumn | SQL) => (value: SQL) => sql`${column} = ${value}`

/** The array column has the bound value as an element. A GIN index serves this form. */
export const includes = (column: PgColumn) => (value: SQL) =>
  sql`${column} @> array[${value}]::text[]`

/**
 * Declares a filter for a whole text, in upper or lower case, whose values are counted.
 * @param folded the column of the folded text
 */
export const textFilter = (
  description: string,
  example: string,
  folded: PgColumn,
  column: PgColumn,
): Filter => ({
  ...filter(wholeText(`${description}, in upper or lower case`, example), equals(folded), fold),
  values: { column },
})

/**
 * Declares the filters of a period by its first and its last day. The index of the column's order serves them.
 * @param name `granted` for `granted_from` and `granted_to`
 * @param example a first and a last day
 */
export const periodFilters = (
  name: string,
  description: string,
  example: readonly [first: string, last: string],
  day: PgColumn,
): Record<string, Filter> => {
  const known = unknownLast(day, "asc")
  const first = (bound: SQL) => sql`(${known} >= ${bound}::date and ${day} is not null)`
  const last = (bound: SQL) => sql`${known} <= ${bound}::date`
  const dayOf = (which: string, shown: string) =>
    calendarDate(`${which} day of ${description}, included`, shown)
  return {
    [`${name}_from`]: { ...filter(dayOf("First", example[0]), first), day },
    [`${name}_to`]: { ...filter(dayOf("Last", example[1]), last), day },
  }
}

/** Declares a filter for the code of a company. */
export const companyFilter = (description: string, where: Filter["where"]): Filter =>
  filter(freeText(description, "XMR"), where, asxCodeFromText)

/** Declares a filter for part of a text, on the column of the folded text, which has a trigram index. */
export const termFilter = (description: string, example: string, column: PgColumn): Filter => ({
  ...filter(freeText(description, example), contains(column), fold, containing),
  isIndexed: (term) => hasTrigram(String(term)),
})

/** For a term without a trigram that index returns every row, which takes much longer than a scan. */
export const hasTrigram = (folded: string): boolean => /[\p{L}\p{N}]{3}/u.test(folded)

/**
 * Declares a filter for records whose shape has a point in an area, holes of both excluded. The index finds them by
 * their bounds. The parts of a shape are compared only where its bounds are not inside of the area, and in both orders:
 * PostgreSQL loses crossings of an almost vertical edge on the left with a short one on the right.
 * @param bind returns the array of `boundArea`, or an `AroundTenement`
 */
export function shapeFilter(
  description: string,
  example: string,
  format: "bbox" | "near",
  bind: (text: string) => unknown,
  { bounds, geometry }: Record<"bounds" | "geometry", PgColumn>,
): Filter {
  const schema = { ...freeText(description, example), format }
  const where = (bound: SQL): SQL => {
    // In the order of `boundArea`.
    const [areaBounds, innerBox, outlines, holes] = [1, 2, 3, 4].map(
      (n) => sql`(${bound}::text[])[${sql.raw(String(n))}]`,
    )
    const corners = sql`polygon(${bounds})`
    // Around a circle of 100 km, comparing the four corners first halves the time.
    return sql`(${bounds} && ${areaBounds}::box and (${bounds} <@ ${innerBox}::box or exists (
      select from unnest(${outlines}::polygon[]) as area where ${corners} && area
        and (${corners} <@ area and ${holes} = '{}' or exists (
          select from shape_parts part where part.shape = ${geometry}
            and (part.outline && area or area && part.outline)
            and not exists (select from unnest(part.holes) as hole where hole @> area)
            and not exists (select from unnest(${holes}::polygon[]) as hole
              where hole @> part.outline and area @> hole))))))`
  }
  return { ...filter(schema, where, canonicalNumbers, bind), isIndexed: () => true }
}

/** The area as `shapeFilter` binds it. */
export const boundArea = ({ bounds, innerBox, outlines, holes }: Area): string =>
  arrayLiteral([bounds, innerBox, outlines, holes])

/** The same resource with a filter for the records with these keys, which are separated by spaces. */
export const withKeys = (resource: Readable): Readable => ({
  ...resource,
  filters: {
    ...resource.filters,
    keys: filter(
      Type.String(),
      (keys) => sql`${keyColumn(resource)} = any(${keys}::text[])`,
      undefined,
      (keys) => arrayLiteral(keys.split(" ")),
    ),
  },
})

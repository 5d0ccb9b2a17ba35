/** Schemas and conversions that more than one resource needs. */
import { type TSchema, Type } from "@sinclair/typebox"
import { getTableColumns, type SQL, sql } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import { fold } from "../../system/text/fold.ts"
import { asxCodePattern, pathSafePattern } from "../db/columns.ts"
import { normaliseName } from "./company-name.ts"
import { type Field, field, type Value } from "./resource.ts"

/** The API's description shows the example as the field's value, or null without one. */
const documented = (description: string, example: string | number | undefined) => ({
  description,
  ...(example !== undefined && { examples: [example] }),
})

/** The schema of text that is one of a few values, matched exactly. */
export const oneOf = <Value extends string>(
  values: readonly Value[],
  options: { description?: string; default?: Value; examples?: Value[] } = {},
) => Type.Unsafe<Value>({ type: "string", enum: values, ...options })

/** Any text. */
export const textSchema = (description: string, example?: string) =>
  Type.String(documented(description, example))

/** Text that lists values as `A; B`. Its limit is beyond any record of a register. */
export const listOf = (description: string, example: string) =>
  Type.String({ maxLength: 20_000, ...documented(description, example) })

export const countSchema = (description: string, example?: number) =>
  Type.Integer({ minimum: 0, ...documented(description, example) })

export const instantOf = (description: string, example?: string) =>
  Type.String({ format: "date-time", ...documented(description, example) })

/** Text, never a number, though some codes look like one. */
export const asxCodeOf = (description: string) =>
  Type.String({ pattern: asxCodePattern, ...documented(description, "XMR") })

/** An ASX code in a path. */
export const asxCodeInPath = Type.String({
  ...asxCodeOf("ASX code, in upper or lower case"),
  pattern: asxCodePattern.replace("A-Z", "A-Za-z"),
})

export const pathSafeId = (example: string) =>
  Type.String({ pattern: pathSafePattern, ...documented("Identifier", example) })

/**
 * Converts a text to the upper case of ASX codes. Only ASCII letters: in Unicode, the upper case of the
 * dotless i is an I too.
 */
export const asxCodeFromText = (text: string): string =>
  text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())

/**
 * Text of a filter. Its maximum length bounds the memory and the statement time of a request.
 */
export const freeText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 200, ...documented(description, example) })

/** Text of a filter for a whole value, in which a file may have U+FFFD. */
export const wholeText = (description: string, example: string) => ({
  ...freeText(description, example),
  format: "whole-value",
})

export const calendarDate = (description: string, example: string) =>
  Type.String({ format: "date", ...documented(description, example) })

/** The text of a value whose schema is a string. */
export const textValue = (value: Value | undefined): string => String(value ?? "")

/** Folds a required text for search and order. */
export const folded = (value: Value | undefined): string => fold(textValue(value))

/** Normalises a name for comparison with others. */
export const nameKey = (value: Value | undefined): string => normaliseName(textValue(value))

export const foldedOrNull = (value: Value | undefined): string | null =>
  value === null || value === undefined ? null : fold(String(value))

/** A point in time as in JSON: `2026-01-02T03:04:05Z`; null where the column is. */
export const instantText = (column: PgColumn | SQL): SQL<string | null> =>
  sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`

/** Declares fields that have the values of the columns of the same name. */
export function fieldsOf(
  table: PgTable,
  schemas: Record<string, TSchema>,
  shown: Field["shown"] = "always",
): Record<string, Field> {
  const columns = getTableColumns(table)
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const column = columns[name]
      if (!column) throw new Error(`No column ${name}`)
      const select = schema.format === "date-time" ? instantText(column) : column
      return [name, field(column, schema, { shown, select })]
    }),
  )
}

/** The fields of records with shapes, for requests that name them. */
export function placeFields(table: PgTable): Record<string, Field> {
  const corner = [121.45, -30.76]
  const ring = [corner, [121.48, -30.76], [121.48, -30.74], corner]
  const degreesOf = (what: string, minimum: number, maximum: number, example: number) =>
    Type.Number({
      ...{ minimum, maximum },
      description: `${what} of a point inside its shape, in degrees; only if \`fields\` names it`,
      examples: [example],
    })
  const shape = {
    type: oneOf(["Polygon", "MultiPolygon"]),
    coordinates: Type.Array(Type.Unknown()),
  }
  const schemas = {
    latitude: degreesOf("Latitude", -60, 0, -30.748912),
    longitude: degreesOf("Longitude", 90, 180, 121.466667),
    geometry: Type.Object(shape, {
      description:
        "Its shape, in the reference system of its source: a GeoJSON polygon or multi-polygon, WKT in CSV and TSV, WKB in Parquet; only if `fields` names it",
      examples: [{ type: "Polygon", coordinates: [ring] }],
    }),
  }
  return fieldsOf(table, schemas, "asked")
}

/** The fields of every loaded record, for requests that name them. */
export function provenanceOf(table: PgTable): Record<string, Field> {
  const schemas = {
    source: textSchema("The source that loaded it; only if `fields` names it", "sample"),
    since_release: Type.Integer({
      minimum: 1,
      description: "The release that last changed it; only if `fields` names it",
      examples: [1],
    }),
  }
  return fieldsOf(table, schemas, "asked")
}

/** A point in time in milliseconds since 1970; null where the column is. */
export const milliseconds = (column: PgColumn): SQL<number | null> =>
  sql<number | null>`extract(epoch from ${column}) * 1000`.mapWith(Number)

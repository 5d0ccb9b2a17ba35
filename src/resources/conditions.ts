/** The conditions of filters. Each takes a bound value and returns SQL. */
import { type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"

/** The column, of folded text, contains the bound pattern: bind with `containing`. */
export const contains = (column: PgColumn | SQL) => (pattern: SQL) => sql`${column} like ${pattern}`

/** The LIKE pattern of "contains this folded text", in which the text's own wildcards are literal. */
export const containing = (folded: string): string => `%${folded.replace(/[\\%_]/g, "\\$&")}%`

export const equals = (column: PgColumn) => (value: SQL) => sql`${column} = ${value}`

/** The array column has the bound value among its elements, in the form that a GIN index serves. */
export const includes = (column: PgColumn) => (value: SQL) =>
  sql`${column} @> array[${value}]::text[]`

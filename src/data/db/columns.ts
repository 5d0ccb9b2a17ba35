/** Column types and CHECK constraints of several tables. */
import { type SQL, sql } from "drizzle-orm"
import {
  type CheckBuilder,
  check,
  customType,
  type ExtraConfigColumn,
  type PgColumn,
  timestamp,
} from "drizzle-orm/pg-core"

/** Makes a CHECK constraint of each condition, named by the table and the condition's key. */
export const checks = (table: string, conditions: Record<string, SQL>): CheckBuilder[] =>
  Object.entries(conditions).map(([name, condition]) => check(`${table}_${name}`, condition))

type Expression = (column: Column) => SQL

/** Expressions that sort values ascending and descending, by Drizzle's type of the column. */
const ascending: Readonly<Record<string, { asc: Expression; desc: Expression }>> = {
  PgBigInt53: {
    asc: (column) => sql`coalesce(${column}, 9223372036854775807)`,
    desc: (column) => sql`coalesce(-${column}, 9223372036854775807)`,
  },
  PgDateString: {
    asc: (column) => sql`coalesce(${column}, 'infinity'::date)`,
    desc: (column) => sql`coalesce('2000-01-01'::date - ${column}, 2147483647)`,
  },
  PgDoublePrecision: {
    asc: (column) => sql`coalesce(${column}, 'infinity'::float8)`,
    desc: (column) => sql`coalesce(-${column}, 'infinity'::float8)`,
  },
}

/**
 * Returns an expression whose ascending order is that direction of the column. It is never null, and unknown
 * values come last. An index on it and the key finds the rows after a position, also among equal and unknown
 * values.
 */
export function unknownLast(column: Column, direction: "asc" | "desc"): SQL {
  const expressions = ascending[column.columnType]
  if (!expressions) throw new Error(`Lists cannot be sorted by ${column.name}`)
  return expressions[direction](column)
}

/** The values as a list of SQL literals. */
export const literals = (values: readonly string[]): SQL =>
  sql.raw(values.map((value) => `'${value}'`).join(", "))

/** Text that is compared and sorted by its bytes. */
export const bytewise = customType<{ data: string }>({ dataType: () => 'text COLLATE "C"' })

/** An index on such values needs no locale: an update of the server's system cannot damage it. */
export const bytewiseArray = customType<{ data: string[]; driverData: string }>({
  dataType: () => 'text ARRAY COLLATE "C"',
})

/** PostgreSQL's geometric types, in whole microdegrees. */
export const box = customType<{ data: string }>({ dataType: () => "box" })
export const polygon = customType<{ data: string }>({ dataType: () => "polygon" })

/** A point in time, to the second. */
export const instant = (name: string) =>
  timestamp(name, { withTimezone: true, precision: 0, mode: "string" })

export type Column = PgColumn | ExtraConfigColumn

/** The characters that need no percent-encoding in a path (RFC 3986, section 2.3). */
const pathSafeCharacter = "[A-Za-z0-9._~-]"
const pathSafeLength = 100

/** An identifier that needs no percent-encoding in a path and is not a dot segment (section 3.3). */
export const pathSafePattern = `^(?!\\.{1,2}$)${pathSafeCharacter}{1,${pathSafeLength}}$`

/** An ASX code: 3 to 6 letters and digits, in upper case. */
export const asxCodePattern = "^[0-9A-Z]{3,6}$"

/** Checks the length apart: a counting pattern takes seven times as long, more than storing the row. */
export const isPathSafe = (column: Column): SQL =>
  sql`${column} ~ ${literals([`^${pathSafeCharacter}+$`])} and length(${column}) <= ${sql.raw(String(pathSafeLength))}`

export const isAsxCode = (column: Column): SQL => sql`${column} ~ ${literals([asxCodePattern])}`

/** Not a list of states, so that a further state needs no other check. */
export const isState = (column: Column): SQL => sql`${column} ~ '^[A-Z]{2,3}$'`

/** A date whose year has four digits; excludes infinity. */
export const hasFourDigitYear = (column: Column): SQL =>
  sql`${column} between '0001-01-01' and '9999-12-31'`

/** A point in time whose year has four digits; excludes infinity. */
export const isInstant = (column: Column): SQL =>
  sql`${column} >= '0001-01-01T00:00:00Z' and ${column} < '10000-01-01T00:00:00Z'`

/**
 * The types of a resource. Each resource is declared once, in the file of its name: the parameters of its
 * lists, SELECT, WHERE and ORDER BY, JSON keys, CSV columns and the loader's validation come from that
 * declaration.
 *
 * Names are those of the interface everywhere: JSON key = SQL alias = CSV header.
 */
import type { TProperties, TSchema } from "@sinclair/typebox"
import type { SQL } from "drizzle-orm"
import type { PgColumn, PgTable } from "drizzle-orm/pg-core"
import type { Rule } from "./rules.ts"

/** A value, as in JSON, CSV and the files that are loaded. */
export type Value = string | number | boolean | readonly string[] | Uint8Array | null

/** A record: field name to value. */
export type ResourceRecord = Record<string, Value>

export interface Field {
  column: PgColumn
  /** Which records have it: all, those of a request that names it, the versions of a record, or none. */
  shown: "always" | "asked" | "in history" | "never"
  /** The schema of its values other than null. */
  schema: TSchema
  /** Whether the value may be null in JSON, and empty in CSV. */
  nullable: boolean
  /** The expression whose result is the value as JSON shows it. */
  select: PgColumn | SQL
  /** False for a field that the service computes: by default, one that is shown when asked. */
  loaded: boolean
}

/** One query parameter that filters a list: its schema and its condition. */
export interface Filter {
  /** Of a type that `api/http/parameters.ts` checks: a string, an integer or a boolean. */
  schema: TSchema
  where: (bound: SQL) => SQL
  /** The values that are counted, if they are. */
  values?: CountedColumn | CountedArrays
  /** The column of the day that it compares. Records without that day do not match: `notes.ts` counts them. */
  day?: PgColumn
  /** Whether an index finds the matches of a value, if they may be anywhere in the order of a list. */
  isIndexed?: (canonical: NonNullable<Value>) => boolean
  /** The parameter's value in the one spelling that all equal ones share. */
  canonical: (value: NonNullable<Value>) => NonNullable<Value>
  /** Converts the canonical value to the value that the condition binds. @param given all parameters */
  bind: (value: NonNullable<Value>, given: Readonly<Record<string, unknown>>) => unknown
}

/**
 * A column of values; it may list several as `A; B`. `each` has them as an array, as the condition binds them:
 * it counts the records that left the list of each value.
 */
interface CountedColumn {
  column: PgColumn | SQL
  isList?: true
  each?: SQL
}

/** The keys of a record's values, each once, and the spellings of these values. */
interface CountedArrays {
  keys: PgColumn | SQL
  spellings: SQL
}

export type Direction = "asc" | "desc"

/** One term of an order. Nulls come last in both directions. */
export interface OrderTerm {
  column: PgColumn
  direction: Direction
}

/** The resources that have lists. */
export const resourceNames = ["companies", "tenements", "subsidiaries", "reports"] as const
/** The resources that are loaded. */
export const loadedNames = [...resourceNames, "declared_tenements"] as const
export type ResourceName = (typeof loadedNames)[number]

/** What lists and single records are read from. */
export interface Readable {
  /** Plural, like its table and its path. */
  name: string
  /** One of its records, as in "a company". */
  singular: string
  /** Describes its records in one sentence. */
  description: string
  table: PgTable
  /** The table of superseded and removed records; null if records never change. */
  history: PgTable | null
  /** The table of the versions that are not current, if the records are versions of other records. */
  pastVersions?: PgTable
  /** The column of the release that last changed a record. */
  since: PgColumn
  /** The field that identifies a record in a path, and that ends every order. */
  key: string
  /** The schema of a key in a path, if paths accept more spellings than the field has. */
  keyInPath?: TSchema
  /** Converts a key in a path to the key in the table, if they differ. */
  keyFromPath?: (text: string) => string
  /** In the order of the interface's tables, which is the order of JSON keys and CSV columns. */
  fields: Record<string, Field>
  /** Whether its records have shapes, with the columns `geometry`, `latitude`, `longitude` and `bounds`. */
  hasShapes?: true
  filters: Record<string, Filter>
  /** Further parameters of its lists, which filters read when they bind. */
  parameters?: TProperties
  /** The values of `sort` and their columns; empty where clients cannot choose. */
  sorts: Record<string, PgColumn>
  /** The order without `sort`, if that is not the key. */
  defaultOrder?: readonly OrderTerm[]
}

/** A resource that is loaded. */
export interface Resource extends Readable {
  /** Also the name of its own-column source. */
  name: ResourceName
  history: PgTable
  /** The table's other columns. */
  derived: Record<string, Derived>
  /** Its part in the links between companies and tenements: its records name companies, or list holders. */
  links?: "names" | "holders"
}

/** A column that follows from loaded fields. */
export interface Derived {
  from: readonly string[]
  /** @param values of those fields */
  derive: (...values: (Value | undefined)[]) => unknown
  /** Absent for folded text, whose rule never changes. */
  rule?: Rule
  /** No response shows it or filters by it, so another value makes no new version of its record. */
  unseen?: true
}

/** Declares a field. */
export const field = (
  column: PgColumn,
  schema: TSchema,
  {
    shown = "always",
    nullable = !column.notNull,
    select = column,
    loaded = shown !== "asked",
  }: Partial<Field> = {},
): Field => ({ column, shown, schema, nullable, select, loaded })

/**
 * Declares a filter.
 * @param canonical returns the one spelling of equal values; for text only
 * @param bind returns what the condition binds, if that is not the canonical value itself
 */
export const filter = (
  schema: TSchema,
  where: Filter["where"],
  canonical: (text: string) => string = (text) => text,
  bind: (text: string, given: Readonly<Record<string, unknown>>) => unknown = (text) => text,
): Filter => ({
  schema,
  where,
  canonical: (value) => (typeof value === "string" ? canonical(value) : value),
  bind: (value, given) => (typeof value === "string" ? bind(value, given) : value),
})

/** The fields that loads write, whether or not an endpoint shows them. */
export const loadedFields = ({ fields }: Resource): [name: string, field: Field][] =>
  Object.entries(fields).filter(([, { loaded }]) => loaded)

/** The name of a field's column. */
export const columnNameOf = ({ fields }: Readable, field: string): string =>
  fields[field]?.column.name ?? field

/** The names of the fields that are shown so. */
export const fieldNames = ({ fields }: Readable, ...shown: readonly Field["shown"][]): string[] =>
  Object.keys(fields).filter((name) => shown.includes(fields[name]?.shown ?? "never"))

/**
 * The fields that a statement reads: the usual ones, or all that a request can name. Selections of fields share
 * statements. Only in the last set `geometry` is the shape, as text of GeoJSON; in `all` it is the shape's digest.
 */
export type FieldSet = "usual" | "all" | "all with shapes"

/** The least set that has the key and these fields; without names the usual ones. */
export function fieldSetOf(resource: Readable, names: readonly string[] = []): FieldSet {
  if (names.length === 0) return "usual"
  if (names.includes("geometry")) return "all with shapes"
  const usual = fieldNames(resource, "always")
  return names.every((name) => usual.includes(name)) ? "usual" : "all"
}

/** The names of the fields of a set, in their order. */
export const namesInSet = (resource: Readable, set: FieldSet): string[] =>
  set === "usual" ? fieldNames(resource, "always") : fieldNames(resource, "always", "asked")

/** Selects these fields of the record, in this order. */
export const pick = (record: ResourceRecord, names: readonly string[]): ResourceRecord =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]))

/** Returns the filter of that name. @throws Error for an unknown name, which is a mistake in the program */
export function filterOf({ name: resource, filters }: Readable, name: string): Filter {
  const found = filters[name]
  if (!found) throw new Error(`${resource} has no filter ${name}`)
  return found
}

/** The key's column. */
export function keyColumn({ key, fields }: Readable): PgColumn {
  const field = fields[key]
  if (!field) throw new Error(`No field ${key}`)
  return field.column
}

/** Returns the requested or default order of a list, made total by the key. */
export function orderOf(
  resource: Readable,
  sort?: string,
  direction: Direction = "asc",
): OrderTerm[] {
  const column = sort === undefined ? undefined : resource.sorts[sort]
  const terms = column ? [{ column, direction }] : [...(resource.defaultOrder ?? [])]
  const key = keyColumn(resource)
  return terms.some((term) => term.column === key)
    ? terms
    : [...terms, { column: key, direction: "asc" }]
}

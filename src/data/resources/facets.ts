import { sql } from "drizzle-orm"
import { field, filterOf, keyColumn, type Readable } from "./resource.ts"
import { countSchema, oneOf, textSchema } from "./values.ts"

/** The names of the filters that have a facet. */
export const countedFilters = ({ filters }: Readable): string[] =>
  Object.keys(filters).filter((name) => filters[name]?.values)

/**
 * The same resource with counts of its companies too, for lists of few records.
 * @param field the field that has the codes
 */
export function countedByCompany(resource: Readable, field: string): Readable {
  const { fields, filters } = resource
  const { select, column } = fields[field] ?? {}
  const { company } = filters
  if (!select || !column || !company) throw new Error(`${resource.name} have no companies`)
  const each = column.columnType === "PgArray" ? sql`${column}` : sql`array[${column}]`
  const values = { column: sql`nullif(${select}, '')`, isList: true, each } as const
  return { ...resource, filters: { ...filters, company: { ...company, values } } }
}

/**
 * Declares the values of a field, with the number of records that have each, as a resource.
 * @param example the name of a field whose example has one value
 */
export function facetsOf(resource: Readable, example: string): Readable {
  const [value] = filterOf(resource, example).schema.examples ?? []
  const { hasShapes: _, ...counted } = resource
  const column = keyColumn(resource)
  return {
    ...counted,
    name: "facets",
    singular: "facet",
    description: "The values of a field of a list, each with its number of records.",
    history: null,
    key: "value",
    keyInPath: oneOf(countedFilters(resource), {
      description: "Field whose values are counted",
      examples: [example],
    }),
    fields: {
      value: field(
        column,
        textSchema(
          "Value, in its most frequent spelling; the filter of this name accepts it",
          value,
        ),
        { nullable: true },
      ),
      count: field(column, countSchema("Number of records of the list with this value", 1)),
    },
    sorts: {},
  }
}

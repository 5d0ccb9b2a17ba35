import { oneOf } from "../text/one-of.ts"
import { field, filterOf, keyColumn, type Readable } from "./resource.ts"
import { countOf, textOf } from "./values.ts"

/** The names of the filters that have a facet. */
export const countedFilters = ({ filters }: Readable): string[] =>
  Object.keys(filters).filter((name) => filters[name]?.values)

/**
 * Declares the values of a field, with the number of records that have each, as a resource.
 * @param example the name of a field whose example has one value
 */
export function facetsOf(resource: Readable, example: string): Readable {
  const [value] = filterOf(resource, example).schema.examples ?? []
  const { further: _, ...counted } = resource
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
        textOf("Value, in its most frequent spelling; the filter of this name accepts it", value),
        { nullable: true },
      ),
      count: field(column, countOf("Number of records of the list with this value", 1)),
    },
    sorts: {},
  }
}

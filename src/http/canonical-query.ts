/**
 * One canonical form for all equivalent queries: the parameters that differ from their defaults,
 * sorted by name. Cache keys, entity tags, page sequences and links all come from it.
 */
import type { ParameterSchemas } from "./parameters.ts"
import { encodeQuery } from "./query-string.ts"

export type CanonicalQuery = readonly (readonly [name: string, value: string])[]

export const canonicalQuery = (
  values: Readonly<Record<string, unknown>>,
  schemas: ParameterSchemas,
): CanonicalQuery =>
  Object.keys(values)
    .filter((name) => values[name] !== undefined && values[name] !== schemas[name]?.default)
    .sort()
    .map((name) => [name, String(values[name])] as const)

/** As the query of a URL, without the parameters that are named. */
export const queryText = (query: CanonicalQuery, leftOut: readonly string[] = []): string =>
  encodeQuery(query.filter(([name]) => !leftOut.includes(name)))

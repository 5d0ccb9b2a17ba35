/**
 * A request's parameters, read strictly against their declarations: an unknown, repeated, empty,
 * malformed or out-of-range parameter is refused, and one error lists every fault.
 */
import type { TSchema } from "@sinclair/typebox"
import { nearestName } from "../text/nearest-name.ts"
import { type Fault, invalidParameters, maxNamedFaults } from "./api-error.ts"
import { type ParameterValue, readValue } from "./parameter-value.ts"
import { decodeQuery, encodeQuery, type Pair } from "./query-string.ts"

/** Parameter names to their schemas; `default` in a schema holds where the parameter is absent. */
export type ParameterSchemas = Record<string, TSchema>

/** `api_key` is read by authentication; `_` is ignored, for spreadsheets that must change a URL. */
const everywhere: readonly string[] = ["api_key", "_"]

export interface Parameters {
  /** Every parameter that was given or has a default. */
  values: Readonly<Record<string, ParameterValue>>
  /** What the caller gave, in its order, without `api_key` and `_`: what a link repeats. */
  given: readonly (readonly [name: string, value: string])[]
  /** The value of `_`, which changes no answer but tells one crawl from another. */
  apart: string
}

/**
 * Reads a query string. `check` adds the faults that concern several parameters together; it sees
 * only values that are sound by themselves.
 * @throws ApiError INVALID_PARAMETER
 */
export function readParameters(
  query: string,
  schemas: ParameterSchemas,
  check: (parameters: Parameters) => Fault[] = () => [],
): Parameters {
  const pairs = decodeQuery(query)
  const faults = [...namingFaults(pairs, schemas)]
  const values: Record<string, ParameterValue> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const pair = pairs.find((candidate) => candidate.name === name)
    if (!pair) {
      if (schema.default !== undefined) values[name] = schema.default
      continue
    }
    const reading =
      pair.value === null ? { message: "Is not valid UTF-8" } : readValue(schema, pair.value)
    if ("value" in reading) values[name] = reading.value
    else faults.push({ parameter: name, ...reading })
  }
  const given = pairs
    .filter(({ name }) => !everywhere.includes(name))
    .map(({ name, value }) => [name, value ?? ""] as const)
  const apart = pairs.find(({ name }) => name === "_")?.value ?? ""
  const parameters = { values, given, apart }
  faults.push(...check(parameters))
  if (faults.length > 0) throw invalidParameters(faults)
  return parameters
}

/** One text for all queries that ask the same: every value that holds, sorted by name. */
export const canonicalQuery = ({ values }: Pick<Parameters, "values">): string =>
  encodeQuery(
    Object.keys(values)
      .sort()
      .map((name) => [name, String(values[name])] as const),
  )

function* namingFaults(pairs: readonly Pair[], schemas: ParameterSchemas): Generator<Fault> {
  const known = [...Object.keys(schemas), ...everywhere]
  const counts = new Map<string, number>()
  for (const { name } of pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
  let unknown = 0
  for (const [parameter, count] of counts) {
    if (!known.includes(parameter)) {
      // Finding the name that is meant takes time, and beyond these no answer shows it.
      const meant = ++unknown <= maxNamedFaults && nearestName(parameter, Object.keys(schemas))
      yield unknownName(parameter, meant || undefined, Object.keys(schemas))
    } else if (count > 1) yield { parameter, message: "Must be given once" }
  }
}

const unknownName = (
  parameter: string,
  meant: string | undefined,
  known: readonly string[],
): Fault => ({
  parameter,
  message: meant ? `Is not known here; did you mean ${meant}?` : "Is not known here",
  allowed: [...known],
})

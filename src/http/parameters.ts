/**
 * A request's parameters, parsed strictly against their declarations: an unknown, repeated, empty,
 * malformed or out-of-range parameter is refused, and one error lists the faults.
 */
import {
  Kind,
  OptionalKind,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox"
import { nearestName } from "../text/nearest-name.ts"
import { type Fault, invalidParameters } from "./api-error.ts"
import { type ParameterValue, readValue } from "./parameter-value.ts"
import { decodeQuery, type Pair } from "./query-string.ts"

/**
 * Parameter names to their schemas. A `default` in a schema applies if the parameter is absent; one
 * without a default is `Type.Optional`.
 */
export type ParameterSchemas = Record<string, TSchema>

/** The parameter that changes no response. Every endpoint accepts it, with any value. */
export const cacheBusterParameter = {
  _: Type.Optional(
    Type.String({
      description: "Ignored, for spreadsheets that must change an address to refresh it",
      examples: ["1"],
    }),
  ),
}

/** `api_key` is read by authentication. */
const everywhere: readonly string[] = ["api_key", ...Object.keys(cacheBusterParameter)]

/**
 * Finds the faults that concern several parameters together, among values that are valid by themselves.
 * @param sent the names of the parameters that the client sent
 */
export type CrossCheck = (
  values: Readonly<Record<string, ParameterValue>>,
  sent: ReadonlySet<string>,
) => Fault[]

/**
 * Parses a query string. Gives every parameter that was sent or has a default.
 * @throws ApiError INVALID_PARAMETER
 */
export function readParameters<Schemas extends TProperties>(
  query: string,
  schemas: Schemas,
  crossCheck: CrossCheck = () => [],
): Static<TObject<Schemas>> {
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
  const faulty = new Set(faults.map(({ parameter }) => parameter))
  const together = crossCheck(values, new Set(pairs.map(({ name }) => name)))
  faults.push(...together.filter(({ parameter }) => !faulty.has(parameter)))
  if (faults.length > 0) throw invalidParameters(faults)
  return typed(values, schemas)
}

/** The same values, with the types of these schemas, which they are checked against. */
export function typed<Schemas extends TProperties>(
  values: object,
  schemas: Schemas,
): Static<TObject<Schemas>> {
  if (haveTypes(values, schemas)) return values
  throw new Error(`Not values of ${Object.keys(schemas).join(", ")}: ${JSON.stringify(values)}`)
}

/** Whether each value has its schema's type. That it is in range was checked when it was parsed. */
const haveTypes = <Schemas extends TProperties>(
  values: object,
  schemas: Schemas,
): values is Static<TObject<Schemas>> & object =>
  Object.entries(schemas).every(([name, schema]) => {
    const value: unknown = Reflect.get(values, name)
    return value === undefined
      ? schema[OptionalKind] === "Optional"
      : typeof value === (jsonTypes[schema[Kind]] ?? "string")
  })

const jsonTypes: Readonly<Record<string, string>> = { Integer: "number", Boolean: "boolean" }

/** The value of `_`, which changes no response; it distinguishes page sequences. */
export const cacheBuster = (query: string): string =>
  decodeQuery(query).find(({ name }) => name === "_")?.value ?? ""

function* namingFaults(pairs: readonly Pair[], schemas: ParameterSchemas): Generator<Fault> {
  const known = [...Object.keys(schemas), ...everywhere]
  const counts = new Map<string, number>()
  for (const { name } of pairs) counts.set(name, (counts.get(name) ?? 0) + 1)
  for (const [parameter, count] of counts) {
    if (!known.includes(parameter)) yield unknownName(parameter, Object.keys(schemas))
    else if (count > 1) yield { parameter, message: "Must be given once" }
  }
}

function unknownName(parameter: string, known: readonly string[]): Fault {
  const meant = nearestName(parameter, known)
  return {
    parameter,
    message: meant ? `Unknown parameter; did you mean ${meant}?` : "Unknown parameter",
    allowed: [...known],
  }
}

/**
 * A request's parameters, parsed strictly against their declarations: an unknown, repeated, empty,
 * malformed or out-of-range parameter is refused, and one error lists the faults.
 */
import {
  OptionalKind,
  type Static,
  type TObject,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox"
import { isCalendarDate } from "../text/calendar-date.ts"
import { nearestName } from "../text/nearest-name.ts"
import { type Fault, invalidParameters } from "./api-error.ts"
import { parsePointInTime } from "./point-in-time.ts"
import { decodeQuery, type Pair } from "./query-string.ts"

/**
 * Parameter names to their schemas. A `default` in a schema applies if the parameter is absent; one
 * without a default is `Type.Optional`.
 */
export type ParameterSchemas = Record<string, TSchema>

/** The parameter that only tells page sequences apart. Every endpoint accepts it, with any value. */
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
      : typeof value === (schema.type === "integer" ? "number" : schema.type)
  })

/** The value of `_`, which distinguishes page sequences; empty without one. */
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
  if (pairs.some(({ name, value }) => name === "api_key" && value === "")) {
    yield { parameter: "api_key", message: "Must not be empty" }
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

export type ParameterValue = string | number | boolean

type Reading = { value: ParameterValue } | { message: string; allowed?: readonly string[] }

/**
 * Reads `text` as `schema` says, strictly, so that what a client meant is never guessed: numbers, booleans,
 * dates and enumerated values are accepted in one spelling only, a point in time in three notations.
 * Which texts count as equal is up to the filter that compares with them.
 * @param schema of an integer, a boolean, or text: one of a few, with a format or with a maxLength
 */
function readValue(schema: TSchema, text: string): Reading {
  if (text === "") return { message: "Must not be empty" }
  if (schema.enum) return readAllowed(schema.enum, text, text)
  if (schema.type === "boolean") return readAllowed(["true", "false"], text, text === "true")
  if (schema.type === "integer") return readInteger(schema, text)
  if (schema.format === "date") return readDate(text)
  return schema.format === "point-in-time"
    ? readPointInTime(text)
    : readText(text, schema.maxLength)
}

function readInteger(schema: TSchema, text: string): Reading {
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  const value = Number(text)
  return /^(0|-?[1-9]\d*)$/.test(text) && value >= minimum && value <= maximum
    ? { value }
    : { message: `Must be an integer from ${minimum} to ${maximum}` }
}

const readAllowed = (allowed: readonly string[], text: string, value: ParameterValue): Reading =>
  allowed.includes(text) ? { value } : { message: `Must be one of ${allowed.join(", ")}`, allowed }

const readDate = (text: string): Reading =>
  isCalendarDate(text) ? { value: text } : { message: "Must be a date that exists, as YYYY-MM-DD" }

const readPointInTime = (text: string): Reading =>
  parsePointInTime(text)
    ? { value: text }
    : {
        message:
          "Must be a release number, a date as YYYY-MM-DD or a date-time as 2026-01-02T03:04:05Z",
      }

/**
 * PostgreSQL's text can't hold a NUL, and no name or title has control characters. U+FFFD is what
 * the server makes of bytes in a request target that are neither escaped nor valid UTF-8.
 */
function readText(text: string, maxLength = Number.POSITIVE_INFINITY): Reading {
  // Code points, as JSON Schema and PostgreSQL count characters.
  if ([...text].length > maxLength) return { message: `Must have at most ${maxLength} characters` }
  if (text.includes("\uFFFD")) return { message: "Is not valid UTF-8" }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text)
    ? { message: "Must not contain control characters" }
    : { value: text }
}

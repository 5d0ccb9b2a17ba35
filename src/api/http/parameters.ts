/**
 * Parses a request's parameters strictly by their declarations. One error lists all unknown, repeated, malformed
 * and out-of-range parameters. An empty value is as if the parameter were absent, as from a spreadsheet's empty cell.
 */
import { type TProperties, type TSchema, Type } from "@sinclair/typebox"
import {
  isAroundTenement,
  parseAroundTenement,
  parseBox,
  parseCircle,
} from "../../data/places/area.ts"
import { isCalendarDate } from "../../system/text/calendar-date.ts"
import { nearestName } from "../../system/text/nearest-name.ts"
import { controlCharacter } from "../../system/text/printable-text.ts"
import { type Fault, invalidParameters } from "./api-error.ts"
import { parsePointInTime } from "./point-in-time.ts"
import { decodeQuery, type Pair, undecodable } from "./query-string.ts"

/** The parameter that only distinguishes page sequences. Every endpoint accepts it with any value. */
export const cacheBusterParameter = {
  _: Type.Optional(
    Type.String({
      description: "Ignored, for spreadsheets that must change an address to refresh it",
      examples: ["1"],
    }),
  ),
}

/** Authentication reads `api_key`. */
const everywhere: readonly string[] = ["api_key", ...Object.keys(cacheBusterParameter)]

/**
 * Finds faults in the combination of values that are valid by themselves.
 * @param sent the names of the parameters that the client sent with a value
 */
export type CrossCheck = (values: ParameterValues, sent: ReadonlySet<string>) => Fault[]

/**
 * Parses a query string. Returns every parameter that was sent or has a default, in the documented spelling.
 * @param schemas by the names of the parameters; one without a default is `Type.Optional`
 * @throws ApiError INVALID_PARAMETER
 */
export const readParameters = (
  query: string,
  schemas: TProperties,
  crossCheck?: CrossCheck,
): ParameterValues => readPairs(decodeQuery(query), schemas, everywhere, crossCheck)

/**
 * Parses decoded parameters as `readParameters` does.
 * @param ignored names that are accepted too
 */
export function readPairs(
  pairs: readonly Pair[],
  schemas: TProperties,
  ignored: readonly string[] = [],
  crossCheck: CrossCheck = () => [],
): ParameterValues {
  const faults = namingFaults(pairs, schemas, ignored)
  const given = pairs.filter(([name, text]) => text !== "" || needsValue(schemas[name]))
  const values: Record<string, ParameterValue> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const [, sent] = given.find(([each]) => each === name) ?? []
    const text = sent && documentedSpelling(schema, sent)
    const fault = text === undefined ? null : faultOf(schema, text)
    if (fault) faults.push({ parameter: name, ...fault })
    else if (text !== undefined) values[name] = readValue(schema, text)
    else if (schema.default !== undefined) values[name] = schema.default
  }
  const faulty = new Set(faults.map(({ parameter }) => parameter))
  const together = [
    ...crossCheck(values, new Set(given.map(([name]) => name))),
    ...periodFaults(values),
  ]
  faults.push(...together.filter(({ parameter }) => !faulty.has(parameter)))
  if (faults.length > 0) throw invalidParameters(faults)
  return values
}

/**
 * Points in time and lists of names need a value: a program whose variable is empty would take the wrong records
 * for the right ones.
 */
const needsValue = (schema: TSchema | undefined): boolean =>
  schema?.format === "point-in-time" || schema?.type === "array"

/** The values of an enumeration or a boolean; undefined for others. */
const allowedOf = ({ type, enum: values }: TSchema): readonly string[] | undefined =>
  type === "boolean" ? ["true", "false"] : values

/** Enumerations and booleans ignore case: a spreadsheet writes `TRUE`. Any other text stays as it is. */
export const documentedSpelling = (schema: TSchema, text: string): string =>
  allowedOf(schema)?.find((value) => value.toLowerCase() === text.toLowerCase()) ?? text

/** Periods end after they begin: `granted_from` and `granted_to`. Dates in one notation sort as text. */
const periodFaults = (values: ParameterValues): Fault[] =>
  Object.entries(values).flatMap(([from, first]) => {
    const to = from.replace(/from$/, "to")
    const last = values[to]
    if (to === from || !first || !last || first <= last) return []
    return [{ parameter: from, message: `Must not be after ${to}` }]
  })

/** The value of `_`, which distinguishes page sequences; empty without one. */
export const cacheBuster = (query: string): string =>
  decodeQuery(query).find(([name]) => name === "_")?.[1] ?? ""

function namingFaults(
  pairs: readonly Pair[],
  schemas: TProperties,
  ignored: readonly string[],
): Fault[] {
  const known = Object.keys(schemas)
  return [...Map.groupBy(pairs, ([name]) => name)].flatMap(([parameter, [, second]]) => {
    if (!known.includes(parameter) && !ignored.includes(parameter)) {
      return unknownName(parameter, known)
    }
    return second ? { parameter, message: "Must be given once" } : []
  })
}

const unknownName = (parameter: string, known: readonly string[]): Fault => ({
  parameter,
  message: `Unknown parameter${suggestion(parameter, known)}`,
  allowed: known,
})

function suggestion(name: string, known: readonly string[]): string {
  const meant = nearestName(name, known)
  return meant ? `; did you mean ${meant}?` : ""
}

export type ParameterValue = string | number | boolean | readonly string[]

/** Valid values, by name. */
export type ParameterValues = Readonly<Record<string, ParameterValue | undefined>>

/** Returns the value of a parameter whose values are texts. */
export function textParameter(values: ParameterValues, name: string): string | undefined {
  const { [name]: value } = values
  return typeof value === "string" ? value : undefined
}

/**
 * Checks a value in its documented spelling strictly by its schema: integers and dates have one notation, a point
 * in time has three. Filters decide which texts are equal.
 */
function faultOf(schema: TSchema, text: string): Omit<Fault, "parameter"> | null {
  const { type, format, maxLength = Number.POSITIVE_INFINITY } = schema
  if (type === "array") return namesFault(text.split(","), schema.items.enum)
  if (text === "") return { message: "Must not be empty" }
  // Bun converts unescaped bytes that are not valid UTF-8 to U+FFFD. A whole value of a record may have it too.
  if (text === undecodable || (text.includes("\uFFFD") && format !== "whole-value"))
    return { message: "Is not valid UTF-8" }
  const allowed = allowedOf(schema)
  if (allowed) {
    return allowed.includes(text)
      ? null
      : { message: `Must be one of ${allowed.join(", ")}`, allowed }
  }
  if (type === "integer") {
    const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
    return /^(0|-?[1-9]\d*)$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
      ? null
      : { message: `Must be an integer from ${minimum} to ${maximum}` }
  }
  const fault = faultsOfFormats[format]?.(text)
  if (fault) return { message: fault }
  // Code points, as JSON Schema and PostgreSQL count characters.
  if ([...text].length > maxLength) return { message: `Must have at most ${maxLength} characters` }
  return controlCharacter.test(text) ? { message: "Must not contain control characters" } : null
}

function namesFault(names: readonly string[], allowed: readonly string[]) {
  const unknown = names.find((name) => !allowed.includes(name))
  if (unknown !== undefined) {
    const shown = JSON.stringify(unknown.slice(0, longestShown))
    return { message: `Unknown name ${shown}${suggestion(unknown, allowed)}`, allowed }
  }
  const isRepeated = new Set(names).size < names.length
  return isRepeated ? { message: "Must not repeat a name", allowed } : null
}

const longestShown = 40

const faultsOfFormats: Readonly<Record<string, (text: string) => string | null>> = {
  date: (text) => (isCalendarDate(text) ? null : "Must be a date that exists, as YYYY-MM-DD"),
  "point-in-time": (text) => {
    if (parsePointInTime(text)) return null
    return parsePointInTime(text.replace(" ", "+"))
      ? "Has a space in place of the + of its zone: write the + as %2B"
      : "Must be a release number, a date as YYYY-MM-DD or a date-time as 2026-01-02T03:04:05Z"
  },
  bbox: (text) => parseBox(text).fault,
  near: (text) => (isAroundTenement(text) ? parseAroundTenement(text) : parseCircle(text)).fault,
}

/** Converts a valid text. */
function readValue({ type }: TSchema, text: string): ParameterValue {
  if (type === "integer") return Number(text)
  if (type === "boolean") return text === "true"
  return type === "array" ? text.split(",") : text
}

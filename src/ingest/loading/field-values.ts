/**
 * Converts cells of a file to values of fields, strictly by their schemas. Text becomes the field's type;
 * nothing is guessed, rounded or truncated, except fractions of a second.
 */
import type { TSchema } from "@sinclair/typebox"
import { asxCodePattern } from "../../data/db/columns.ts"
import {
  type Field,
  loadedFields,
  type Resource,
  type ResourceRecord,
  type Value,
} from "../../data/resources/resource.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"
import { isCalendarDate } from "../../system/text/calendar-date.ts"
import { excerpt } from "../../system/text/printable-text.ts"
import type { RawRecord } from "../sources/source.ts"

/** The reason why a value is invalid, as the end of a sentence that begins with the field's name. */
export class InvalidValue {
  constructor(readonly reason: string) {}
}

type Validated =
  | { record: ResourceRecord }
  /** `key` where it can be read: the stored record of that key then stays unchanged. */
  | { rejected: string; key?: string }

/**
 * Validates records of a resource: every loaded field by its schema. Other values are ignored. One
 * reason names every invalid value of a record.
 */
export function recordValidator(resource: Resource): (raw: RawRecord) => Validated {
  const readers = loadedFields(resource).map(([name, field]) => ({
    name,
    read: fieldReader(field),
  }))
  return (raw) => {
    const record: ResourceRecord = {}
    let faults: string[] | undefined
    for (const { name, read } of readers) {
      const value = read(raw[name])
      if (value instanceof InvalidValue) {
        faults ??= []
        faults.push(`${name} ${value.reason}`)
      } else record[name] = value
    }
    if (!faults) return { record }
    const key = record[resource.key]
    return { rejected: faults.join("; "), ...(typeof key === "string" ? { key } : {}) }
  }
}

type FieldReader = (raw: unknown) => Value | InvalidValue

/**
 * PostgreSQL's indexes take at most about 2,700 bytes of a row, and folding may lengthen a text. A text with a
 * limit of its own lists values, each of which has this one.
 */
const maxBytes = 2000

export function fieldReader({ schema, nullable }: Field): FieldReader {
  const readValue = valueReader(schema)
  return (raw) => {
    const isEmpty =
      raw === undefined || raw === null || (typeof raw === "string" && raw.trim() === "")
    if (!isEmpty) return readValue(raw)
    return nullable ? null : new InvalidValue("is missing")
  }
}

function valueReader(schema: TSchema): FieldReader {
  if (schema.enum) return oneOfReader(schema.enum)
  switch (schema.type) {
    case "string":
      return textReader(schema)
    case "integer":
    case "number":
      return (raw) => numberOf(schema, raw)
    case "boolean":
      return boolean
    default:
      throw new Error(`No values can be read for a schema of type ${schema.type}`)
  }
}

function oneOfReader(values: readonly string[]): FieldReader {
  return (raw) =>
    values.find((value) => value === raw) ??
    new InvalidValue(`is not one of ${values.join(", ")}: ${shown(raw)}`)
}

function textReader(schema: TSchema): FieldReader {
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern)
  const format = schema.format === undefined ? undefined : formats[schema.format]
  if (schema.format !== undefined && !format) throw new Error(`Unknown format ${schema.format}`)
  // A code in lower case means the same company.
  const normalise =
    schema.pattern === asxCodePattern ? (text: string) => asxCodeFromText(text.trim()) : undefined
  const { maxLength } = schema
  const isTooLong = (text: string) => Buffer.byteLength(text) > maxBytes
  return (raw) => {
    if (typeof raw !== "string") return new InvalidValue(`is not text: ${shown(raw)}`)
    if (!raw.isWellFormed()) return new InvalidValue("contains an unpaired surrogate")
    if ((maxLength === undefined ? [raw] : raw.split(";")).some(isTooLong))
      return new InvalidValue(`is longer than ${maxBytes} bytes`)
    if (maxLength !== undefined && raw.length > maxLength)
      return new InvalidValue(`is longer than ${maxLength} characters`)
    const text = normalise ? normalise(raw) : raw
    if (pattern && !pattern.test(text)) return new InvalidValue(`is malformed: ${shown(raw)}`)
    return format ? format(text) : text
  }
}

const formats: Readonly<Record<string, (text: string) => string | InvalidValue>> = {
  date: calendarDate,
  "date-time": readInstant,
  uri: webAddress,
}

function calendarDate(text: string): string | InvalidValue {
  return isCalendarDate(text)
    ? text
    : new InvalidValue(`is not a date as YYYY-MM-DD: ${shown(text)}`)
}

const iso8601 =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/

/** As `2026-01-02T03:04:05Z`: in UTC, to the second. A time without a time zone is rejected: any would be a guess. */
export function readInstant(text: string): string | InvalidValue {
  const parts = iso8601.exec(text)
  if (!parts || !isCalendarDate(text.slice(0, 10))) {
    return new InvalidValue(`is not an ISO 8601 date-time with a time zone: ${shown(text)}`)
  }
  const plain = text.replace(/[.,]\d+/, "")
  if (parts[1] === "Z" && plain.length === "YYYY-MM-DDTHH:MM:SSZ".length) return plain
  const utc = new Date(plain.replace(/([+-]\d\d):?(\d\d)$/, "$1:$2")).toISOString()
  // The offset can move the first and the last day out of the four-digit years.
  if (!/^\d{4}-/.test(utc) || utc < "0001")
    return new InvalidValue(`is out of range: ${shown(text)}`)
  return `${utc.slice(0, 19)}Z`
}

function webAddress(text: string): string | InvalidValue {
  return /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
    ? text
    : new InvalidValue(`is not an http or https URL: ${shown(text)}`)
}

const integer = /^-?\d+$/
const decimal = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i

function numberOf(
  { type, minimum, exclusiveMinimum, maximum }: TSchema,
  raw: unknown,
): number | InvalidValue {
  const isInteger = type === "integer"
  const form = isInteger ? integer : decimal
  const value = typeof raw === "string" && form.test(raw) ? Number(raw) : raw
  if (typeof value !== "number" || !(isInteger ? Number.isSafeInteger : Number.isFinite)(value))
    return new InvalidValue(`is not ${isInteger ? "an integer" : "a number"}: ${shown(raw)}`)
  if (minimum !== undefined && value < minimum)
    return new InvalidValue(`is below ${minimum}: ${value}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
    return new InvalidValue(`is not above ${exclusiveMinimum}: ${value}`)
  if (maximum !== undefined && value > maximum)
    return new InvalidValue(`is above ${maximum}: ${value}`)
  return value
}

/** Spreadsheets write TRUE and FALSE. */
function boolean(raw: unknown): boolean | InvalidValue {
  if (typeof raw === "boolean") return raw
  if (raw === "true" || raw === "TRUE") return true
  if (raw === "false" || raw === "FALSE") return false
  return new InvalidValue(`is neither true nor false: ${shown(raw)}`)
}

/** The value as in JSON, which distinguishes text from numbers. */
const shown = (raw: unknown): string => excerpt(JSON.stringify(raw) ?? String(raw), 60)

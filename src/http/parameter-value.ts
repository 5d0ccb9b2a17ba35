/**
 * Parses one parameter by its schema, strictly, so that what a client meant is never guessed: numbers,
 * booleans, dates and enumerated values are accepted in one spelling only, a point in time in three
 * notations. Which texts count as equal is up to the filter that compares with them.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { isCalendarDate } from "../text/calendar-date.ts"
import { valuesOf } from "../text/one-of.ts"
import { parsePointInTime } from "./point-in-time.ts"

export type ParameterValue = string | number | boolean

export type Reading = { value: ParameterValue } | { message: string; allowed?: readonly string[] }

/** Reads `text` as `schema` says: Integer, Boolean, a Union of literals, or String with a format or a maxLength. */
export function readValue(schema: TSchema, text: string): Reading {
  if (text === "") return { message: "Must not be empty" }
  switch (schema[Kind]) {
    case "Integer":
      return readInteger(schema, text)
    case "Boolean":
      return readAllowed(["true", "false"], text, text === "true")
    case "Union":
      return readAllowed(valuesOf(schema), text, text)
    default:
      return readString(schema, text)
  }
}

function readString({ format, maxLength }: TSchema, text: string): Reading {
  if (format === "date") return readDate(text)
  return format === "point-in-time" ? readPointInTime(text) : readText(text, maxLength)
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

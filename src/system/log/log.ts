/**
 * The log: a line for each event, as one JSON object or as text for people. The log cuts every token to the
 * prefix that lists show, and every link with a secret to less, wherever in a line it occurs.
 */
import { codeOf } from "../text/error-code.ts"

export type LogLevel = "debug" | "info" | "warn" | "error"
/** Undefined fields are omitted. */
export type LogFields = Readonly<Record<string, unknown>>

export interface LogEvent {
  at: Date
  level: LogLevel
  event: string
  fields: LogFields
}

/** Writes an event as a line or several, without the last line break. */
export type LineFormat = (event: LogEvent) => string

type LogEventOf = (event: string, fields?: LogFields) => void

export type Log = Readonly<Record<LogLevel, LogEventOf>>

export interface LogOptions {
  /** The least severe level that is logged. */
  level: LogLevel
  format: LineFormat
}

const levels: readonly LogLevel[] = ["debug", "info", "warn", "error"]

/** @param write receives an event's line or lines, each with its line break */
export function createLog(
  write: (lines: string) => void,
  now: () => Date,
  { level: least, format }: LogOptions = { level: "info", format: jsonLine },
): Log {
  const logAt = (level: LogLevel): LogEventOf =>
    levels.indexOf(level) < levels.indexOf(least)
      ? () => {}
      : (event, fields = {}) =>
          write(`${withoutTokens(format({ at: now(), level, event, fields }))}\n`)
  return { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") }
}

/** The fields that describe an error: its name, message, stack and so many causes. */
export function describeError(error: unknown, causes = 4): LogFields {
  if (!(error instanceof Error)) return { error: String(error) }
  const { stack, cause } = error
  const code = codeOf(error)
  return {
    error: stack ?? `${error.name}: ${error.message}`,
    ...(code !== "" && { code }),
    ...(cause !== undefined && causes > 0 && { cause: describeError(cause, causes - 1) }),
  }
}

/** The text with every token in it cut to its prefix, and every link with a secret to less. */
export const withoutTokens = (text: string): string =>
  text.includes("mds_")
    ? text
        .replace(/(mds_[0-9A-Za-z]{8})[0-9A-Za-z]+/g, "$1…")
        .replace(/(mds_(?:link|stop)_)[0-9A-Za-z_-]+/g, "$1…")
    : text

/**
 * Control characters, the line breaks of Unicode, and direction marks: some readers end a line at them, and
 * terminals execute some of them.
 */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu

/** One JSON object. */
export const jsonLine: LineFormat = ({ at, level, event, fields }) =>
  escaped(json({ time: at.toISOString(), level, event, ...fields }))

/** Escapes each UTF-16 unit of invisible characters as JSON does. */
export const escaped = (text: string): string =>
  text.replace(invisible, (found) =>
    found
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  )

/** A number beyond JSON's range, or a cyclic object, must not lose the line. */
function json(line: LogFields): string {
  try {
    return JSON.stringify(line)
  } catch (error) {
    const { time, level, event } = line
    return JSON.stringify({ time, level, event, unwritable: String(error) })
  }
}

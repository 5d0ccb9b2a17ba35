/**
 * The log: a line for each event, as one JSON object or as text for people. The log cuts every token to the
 * prefix that lists show, and every one-time link to less, wherever in a line it occurs.
 */
import { codeOf } from "../text/error-code.ts"
import { jsonLine, type LineFormat, type LogFields, type LogLevel } from "./log-line.ts"

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
  const at = (level: LogLevel): LogEventOf =>
    levels.indexOf(level) < levels.indexOf(least)
      ? () => {}
      : (event, fields = {}) =>
          write(`${withoutTokens(format({ at: now(), level, event, fields }))}\n`)
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") }
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

/** The text with every token in it cut to its prefix, and every one-time link to less. */
export const withoutTokens = (text: string): string =>
  text
    .replace(/(mds_[0-9A-Za-z]{8})[0-9A-Za-z]+/g, "$1…")
    .replace(/(mds_link_)[0-9A-Za-z_-]+/g, "$1…")

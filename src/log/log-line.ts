/** A line of the log, and its form for programs. */

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

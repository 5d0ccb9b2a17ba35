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
 * Control characters that JSON does not escape, the line breaks of Unicode, and direction marks: some readers
 * end a line at them, and terminals execute some of them.
 */
const unescaped = /[\u007f-\u009f\u2028\u2029\p{Bidi_Control}]/gu

let lastMs = Number.NaN
let lastTime = ""

/** ISO 8601. Many lines are of the same millisecond. */
function timeText(at: Date): string {
  if (at.getTime() !== lastMs) {
    lastMs = at.getTime()
    lastTime = at.toISOString()
  }
  return lastTime
}

/** One JSON object. */
export const jsonLine: LineFormat = ({ at, level, event, fields }) => {
  const line = json({ time: timeText(at), level, event, ...fields })
  return line.replace(unescaped, unicodeEscapes)
}

/** Escapes each UTF-16 unit as JSON does. */
export const unicodeEscapes = (text: string): string =>
  text
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("")

/** A number beyond JSON's range, or a cyclic object, must not lose the line. */
function json(line: LogFields): string {
  try {
    return JSON.stringify(line)
  } catch (error) {
    const { time, level, event } = line
    return JSON.stringify({ time, level, event, unwritable: String(error) })
  }
}

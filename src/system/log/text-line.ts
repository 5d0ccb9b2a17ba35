/** The form of the log for people. No value can end its line, look like another field or control the terminal. */
import { escaped, type LineFormat, type LogFields, type LogLevel } from "./log.ts"

const colours: Record<LogLevel, number> = { debug: 90, info: 32, warn: 33, error: 31 }
const dim = 90

/** Shown before the other fields of a request. */
const shownFirst = [
  "http.request.method",
  "http.response.status_code",
  "duration_ms",
  "url.path",
  "url.query",
]

export function textLine({ colours: coloured }: { colours: boolean }): LineFormat {
  const paint = (colour: number, text: string): string =>
    coloured && text !== "" ? `\u001b[${colour}m${text}\u001b[0m` : text

  return ({ at, level, event, fields }) => {
    const { error, ...others } = fields
    const isRequest = event === "request"
    const shown = Object.entries(others).filter(
      ([name, value]) => value !== undefined && !(isRequest && shownFirst.includes(name)),
    )
    const head = [
      paint(dim, at.toISOString().replace("T", " ").slice(0, -1)),
      paint(colours[level], level.padEnd(5)),
      isRequest ? requestText(fields) : escaped(event),
    ].join(" ")
    const pairs = shown.map(([name, value]) => `${quoted(name)}=${quoted(textOf(value))}`).join(" ")
    const line = pairs === "" ? head : `${head}  ${paint(dim, pairs)}`
    return error === undefined ? line : `${line}\n${indented(textOf(error))}`
  }
}

function requestText(fields: LogFields): string {
  const [method = "", status = "", ms, path = "", query] = shownFirst.map((name) =>
    textOf(fields[name] ?? ""),
  )
  const target = query ? `${path}?${query}` : path
  const duration = `${Number(ms).toFixed(1)} ms`
  const head = `${status.padStart(3)} ${method.padEnd(7)} ${duration.padStart(9)}`
  return `${escaped(head)}  ${quoted(target, /^[^\s"\p{C}]+$/u)}`
}

const textOf = (value: unknown): string => {
  if (typeof value !== "object" || value === null) return String(value)
  try {
    return JSON.stringify(value)
  } catch (error) {
    return String(error)
  }
}

/** Quotes a value that would not read as one value. JSON has its own quotes. */
const quoted = (text: string, plain = /^(?:[^\s"=\p{C}]+|[[{][^\s\p{C}]*)$/u): string =>
  plain.test(text) ? text : escaped(JSON.stringify(text))

/** The lines of a stack, indented so that none looks like a line of the log. */
const indented = (text: string): string =>
  text
    .split("\n")
    .map((line) => `    ${escaped(line)}`)
    .join("\n")

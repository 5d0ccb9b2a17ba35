/**
 * The log: one JSON object per line. Everything that looks like a token is cut to the prefix that lists
 * show, and a one-time link to less, wherever in a line it occurs.
 */
import { codeOf } from "../text/error-code.ts"
import { printableText } from "../text/printable-text.ts"

export type LogLevel = "info" | "warn" | "error"
export type LogFields = Readonly<Record<string, unknown>>

export interface Log {
  info(event: string, fields?: LogFields): void
  warn(event: string, fields?: LogFields): void
  error(event: string, fields?: LogFields): void
}

/** @param write receives one line, its line break included */
export function createLog(write: (line: string) => void, now: () => Date): Log {
  const at =
    (level: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      const line = JSON.stringify({ time: now().toISOString(), level, event, ...fields })
      write(`${printableText(withoutTokens(line))}\n`)
    }
  return { info: at("info"), warn: at("warn"), error: at("error") }
}

/** The fields that describe an error: its name, message, stack and causes. */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: String(error) }
  const { stack, cause } = error
  const code = codeOf(error)
  return {
    error: stack ?? `${error.name}: ${error.message}`,
    ...(code !== "" && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  }
}

/** The text with every token in it cut to its prefix, and every one-time link to less. */
export const withoutTokens = (text: string): string =>
  text
    .replace(/(mds_[0-9A-Za-z]{8})[0-9A-Za-z]+/g, "$1…")
    .replace(/(mds_link_)[0-9A-Za-z_-]+/g, "$1…")

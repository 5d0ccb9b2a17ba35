/**
 * A value in the text format of COPY:
 * https://www.postgresql.org/docs/current/sql-copy.html#SQL-COPY-FILE-FORMATS
 */
import { arrayLiteral } from "../text/array-literal.ts"

export function copyCell(value: unknown): string {
  if (value === null || value === undefined) return "\\N"
  if (typeof value === "number" || typeof value === "boolean") return `${value}`
  const text = Array.isArray(value) ? arrayLiteral(value) : String(value)
  return special.test(text) ? text.replace(specials, (character) => escapes[character] ?? "") : text
}

const special = /[\\\t\n\r]/
const specials = /[\\\t\n\r]/g

const escapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
}

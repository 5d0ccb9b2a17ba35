/**
 * PostgreSQL's text form of an array: https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
 */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map(element).join(",")}}`
}

function element(value: unknown): string {
  if (value === null || value === undefined) return "NULL"
  const text = Array.isArray(value) ? arrayLiteral(value) : String(value)
  return `"${special.test(text) ? text.replace(/["\\]/g, "\\$&") : text}"`
}

const special = /["\\]/

/** Schemas in words, for the reference. */
import type { JsonSchema } from "./json-schema.ts"
import type { Operation } from "./operations.ts"

/** `integer, 1 to 100`, `string, YYYY-MM-DD`, `one of asc, desc`. */
export function typeText(schema: JsonSchema): string {
  if (Array.isArray(schema.enum)) {
    return `one of ${schema.enum.filter((value) => value !== null).join(", ")}`
  }
  if (schema.uniqueItems) return "names, separated by commas"
  const type = [schema.type].flat().find((each) => each !== "null")
  return [type, notations[String(schema.format)], ...bounds(schema)].filter(Boolean).join(", ")
}

const notations: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  "date-time": "YYYY-MM-DDThh:mm:ssZ",
  uri: "an address",
  "point-in-time": "a release, a day or a date-time",
}

function bounds({ minimum, maximum, maxLength }: JsonSchema): string[] {
  if (maxLength !== undefined) return [`at most ${maxLength} characters`]
  if (minimum === undefined) return []
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? [`from ${minimum}`]
    : [`${minimum} to ${maximum}`]
}

/** The value of an absent parameter; empty for none. */
export const defaultText = ({ default: value }: JsonSchema): string =>
  value === undefined ? "" : String(value)

/** The request with its token, for a terminal. @param target `/companies?format=csv` */
export const curlLine = (publicUrl: string, target: string): string =>
  `curl -H "Authorization: Bearer $TOKEN" "${publicUrl}/api/v1${target}"`

/** A body for people: JSON on several lines, CSV and TSV unchanged. */
export const bodyText = (body: unknown): string =>
  typeof body === "string" ? body.replaceAll("\r\n", "\n") : JSON.stringify(body, null, 2)

/** The groups of operations, each with its operations, in their order. */
export function groupsOf(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = Map.groupBy(operations, ({ group }) => group)
  for (const members of groups.values()) members.sort((one, other) => rankOf(one) - rankOf(other))
  return groups
}

/** The order: the list of all, one record, lists that belong to another record. */
const rankOf = ({ endpoint }: Operation): number =>
  endpoint.kind === "list" ? (endpoint.belongsTo ? 2 : 0) : 1

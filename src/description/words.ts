/** Schemas in words, for the forms of the reference that people read. */
import type { JsonSchema } from "./json-schema.ts"
import type { Operation } from "./operations.ts"
import { schemasOf } from "./schemas.ts"

export interface FieldText {
  name: string
  type: string
  /** Whether it may be null in JSON, and empty in CSV. */
  nullable: boolean
  meaning: string
}

/** The fields of what an operation answers with. */
export function fieldsOf(operation: Operation): FieldText[] {
  const properties = schemasOf([operation])[operation.schema]?.properties
  return Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => ({
    name,
    type: typeText(schema),
    nullable: isNullable(schema),
    meaning: String(schema.description ?? ""),
  }))
}

const isNullable = ({ type }: JsonSchema): boolean => Array.isArray(type) && type.includes("null")

/** `integer, 1 to 100`, `string, YYYY-MM-DD`, `one of asc, desc`. */
export function typeText(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return "release, day or date-time"
  if (Array.isArray(schema.enum)) {
    return `one of ${schema.enum.filter((value) => value !== null).join(", ")}`
  }
  const type = [schema.type]
    .flat()
    .filter((each) => each !== "null")
    .join(" or ")
  return [type, ...notation(schema), ...bounds(schema)].join(", ")
}

const notations: Readonly<Record<string, string>> = {
  date: "YYYY-MM-DD",
  "date-time": "YYYY-MM-DDThh:mm:ssZ",
  uri: "an address",
}

const notation = ({ format }: JsonSchema): string[] => {
  const found = notations[String(format)]
  return found === undefined ? [] : [found]
}

function bounds({ minimum, maximum, maxLength }: JsonSchema): string[] {
  if (maxLength !== undefined) return [`at most ${maxLength} characters`]
  if (minimum === undefined) return []
  return maximum === undefined || maximum === Number.MAX_SAFE_INTEGER
    ? [`from ${minimum}`]
    : [`${minimum} to ${maximum}`]
}

/** As it is sent where the parameter is absent; empty for none. */
export const defaultText = ({ default: value }: JsonSchema): string =>
  value === undefined ? "" : String(value)

/** The request with its token, for a terminal. @param target `/companies?format=csv` */
export const curlLine = (publicUrl: string, target: string): string =>
  `curl -H "Authorization: Bearer $TOKEN" "${publicUrl}/api/v1${target}"`

/** The target of an example's request. */
export const targetOf = (request: string): string => request.replace(/^\w+ (\S+).*$/, "$1")

/** A body as one reads it: JSON on several lines, CSV and TSV as they are. */
export const bodyText = (body: unknown): string =>
  typeof body === "string" ? body.replaceAll("\r\n", "\n") : JSON.stringify(body, null, 2)

/** The groups of operations, each with its own, in their order. */
export function groupsOf(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = new Map<string, Operation[]>()
  for (const operation of operations) {
    const group = groups.get(operation.group) ?? []
    groups.set(operation.group, [...group, operation])
  }
  for (const group of groups.values()) group.sort((one, other) => rankOf(one) - rankOf(other))
  return groups
}

/** The list of all first, then one record, then the lists that belong to another record. */
const rankOf = ({ endpoint }: Operation): number =>
  endpoint.kind === "list" ? (endpoint.belongsTo ? 2 : 0) : 1

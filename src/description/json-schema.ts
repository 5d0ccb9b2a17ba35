/** The schemas of declarations as JSON Schema (2020-12), which OpenAPI 3.1 uses. */
import type { TSchema } from "@sinclair/typebox"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

const largestInt32 = 2_147_483_647

/** The schema's own keywords, with a choice of texts as an enumeration and the size of integers named. */
export function jsonSchema(schema: TSchema): JsonSchema {
  const { anyOf, properties, items, ...others }: TSchema = schema
  if (anyOf) return { ...choice(anyOf), ...others }
  if (properties) return { ...others, properties: mapValues(properties, jsonSchema) }
  if (items) return { ...others, items: jsonSchema(items) }
  if (others.format === "point-in-time") {
    const { format: _, ...rest } = others
    return { $ref: pointInTimeRef, ...rest }
  }
  return others.type === "integer" ? { ...others, format: integerFormat(others) } : { ...others }
}

/** Null is one of its values. */
export function nullable(schema: JsonSchema): JsonSchema {
  if (schema.$ref !== undefined) return { anyOf: [schema, { type: "null" }] }
  const values = schema.enum
  return {
    ...schema,
    type: [schema.type, "null"],
    ...(Array.isArray(values) && { enum: [...values, null] }),
  }
}

function choice(members: readonly TSchema[]): JsonSchema {
  const values = members.filter(({ type }) => type !== "null")
  const [first] = values
  const literals = values.map((member) => member.const)
  const one =
    first && literals.includes(undefined) ? jsonSchema(first) : { type: "string", enum: literals }
  return values.length === members.length ? one : nullable(one)
}

/** Clients in languages whose integers have 32 bits choose a larger type by it. */
const integerFormat = ({ maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): string =>
  Number(maximum) > largestInt32 ? "int64" : "int32"

const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

export const pointInTimeName = "PointInTime"
const pointInTimeRef = `#/components/schemas/${pointInTimeName}`

/** A point in the history of the data, in the three notations that parameters accept. */
export const pointInTimeSchema: JsonSchema = {
  description:
    "A point in the history of the data: the number of a release, a day (its end, UTC) or a date-time with its zone",
  anyOf: [
    { type: "string", pattern: "^(0|[1-9][0-9]{0,8})$" },
    { type: "string", format: "date" },
    { type: "string", format: "date-time" },
  ],
  examples: ["7", "2026-01-31", "2026-01-31T12:00:00Z"],
}

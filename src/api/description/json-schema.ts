/** The schemas of declarations as JSON Schema (2020-12), which OpenAPI 3.1 uses. */
import type { TSchema } from "@sinclair/typebox"

export interface JsonSchema {
  readonly [keyword: string]: unknown
}

const largestInt32 = 2_147_483_647

/** The schema's own keywords. Integers have their size, from which clients choose their type. */
export function jsonSchema(schema: TSchema): JsonSchema {
  const { properties, items, ...others }: TSchema = schema
  if (properties) return { ...others, properties: mapValues(properties, jsonSchema) }
  if (items) return { ...others, items: jsonSchema(items) }
  if (![others.type].flat().includes("integer")) return others
  return { ...others, format: others.maximum <= largestInt32 ? "int32" : "int64" }
}

/** Null is one of its values. */
export const nullable = ({ type, enum: values, ...others }: JsonSchema): JsonSchema => ({
  ...others,
  type: [type, "null"],
  ...(Array.isArray(values) && { enum: [...values, null] }),
})

export const mapValues = <Value, Result>(
  values: Readonly<Record<string, Value>>,
  map: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]))

/** The schemas of the responses, by name. */
import { explained } from "../../data/resources/explained.ts"
import { fieldNames } from "../../data/resources/resource.ts"
import { type ErrorCode, errorDetails, errorTable } from "../http/api-error.ts"
import { type JsonSchema, jsonSchema, mapValues, nullable } from "./json-schema.ts"
import { type Operation, pascal } from "./operations.ts"

export const refTo = (kind: "schemas" | "headers" | "responses", name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

export const listName = ({ schema }: Operation): string => `${schema}List`

/** Every schema that the operations refer to. */
export function schemasOf(operations: readonly Operation[]) {
  const schemas: Record<string, JsonSchema> = {}
  for (const operation of operations) {
    const { endpoint, schema } = operation
    schemas[schema] = schemaOf(operation)
    if (endpoint.kind === "list") {
      schemas[listName(operation)] = objectSchema({
        data: { type: "array", items: refTo("schemas", schema), description: "The records" },
        meta: refTo("schemas", "PageMeta"),
      })
    }
  }
  schemas.PageMeta = metaSchema
  const errors = new Set(operations.flatMap((operation) => operation.errors))
  for (const code of errors) schemas[errorName(code)] = errorSchema(code)
  return schemas
}

/** `RateLimitedError` of `RATE_LIMITED`. */
export const errorName = (code: ErrorCode): string =>
  `${pascal(code.toLowerCase().replaceAll("_", "-"))}Error`

/** An object with all properties required. */
export const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  others: JsonSchema = {},
) => ({ type: "object", ...others, properties, required: Object.keys(properties) })

/** The body of an operation's response: without `fields`, each record has every field but the optional ones. */
export function schemaOf({ endpoint }: Operation) {
  if (endpoint.kind === "object") {
    const { description, schema } = endpoint
    return objectSchema(mapValues(schema.properties, jsonSchema), { description })
  }
  const resource = endpoint.resource.history ? explained(endpoint.resource) : endpoint.resource
  const { description } = resource
  const shown = Object.entries(resource.fields).filter(([, { shown }]) =>
    ["always", "asked"].includes(shown),
  )
  const properties = mapValues(Object.fromEntries(shown), ({ schema, nullable: isNullable }) =>
    isNullable ? nullable(jsonSchema(schema)) : jsonSchema(schema),
  )
  return { ...objectSchema(properties, { description }), required: fieldNames(resource, "always") }
}

/** A record as a feature, or a page of them as a collection (RFC 7946). */
export function geoJsonSchema(operation: Operation) {
  const { geometry = {} } = schemaOf(operation).properties
  const feature = objectSchema({
    type: { type: "string", const: "Feature" },
    id: { type: "string" },
    geometry,
    properties: refTo("schemas", operation.schema),
  })
  if (operation.endpoint.kind === "record") return feature
  return objectSchema({
    type: { type: "string", const: "FeatureCollection" },
    numberMatched: wholeNumber("The number of records in the whole list"),
    numberReturned: wholeNumber("The number of records in this response"),
    features: { type: "array", items: feature },
  })
}

export const wholeNumber = (description: string, minimum = 0): JsonSchema => ({
  type: "integer",
  format: "int64",
  minimum,
  description,
})

const metaSchema = objectSchema(
  {
    total: wholeNumber("The number of records in the whole list"),
    page: wholeNumber("The number of this page", 1),
    per_page: wholeNumber("Records per page", 1),
    total_pages: wholeNumber("The number of pages; 0 for an empty list"),
  },
  { description: "The position of a page in its list." },
)

function errorSchema(code: ErrorCode): JsonSchema {
  const details = errorDetails[code]
  return objectSchema(
    {
      error: objectSchema({
        code: { type: "string", const: code, description: "For programs" },
        message: {
          type: "string",
          description: "For people",
          examples: [errorTable[code].message],
        },
        ...(details && { details: jsonSchema(details) }),
      }),
    },
    { description: errorTable[code].when },
  )
}

/** The responses of an operation, and those that operations share. */
import { type ErrorCode, errorTable } from "../http/api-error.ts"
import { mediaTypes } from "../http/negotiation.ts"
import { type HeaderName, headerOf } from "../http/response-headers.ts"
import { type Example, errorExample, exampleOf } from "./example-answers.ts"
import type { JsonSchema } from "./json-schema.ts"
import {
  commonHeaders,
  dataHeaders,
  errorHeaders,
  type Operation,
  optionalHeaders,
  stateHeaders,
} from "./operations.ts"
import { errorName, listName, objectSchema, refTo } from "./schemas.ts"

/** A header in full. */
export function headerObject(name: HeaderName, example: string | undefined): JsonSchema {
  const { description, type = "string", format } = headerOf(name)
  return {
    description,
    required: !optionalHeaders.includes(name),
    schema: { type, ...(type === "integer" ? { format: "int64" } : format && { format }) },
    ...(example !== undefined && { example: type === "integer" ? Number(example) : example }),
  }
}

const headerRefs = (names: readonly HeaderName[]) =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))

/** A response as the only example of its media type, with the request that it answers as its summary. */
const namedExample = ({ request, body }: Example) => ({
  examples: { example: { summary: request, value: body } },
})

/** The 200, the 304 and the errors of an operation. */
export const responsesOf = (operation: Operation): Record<string, JsonSchema> => ({
  200: {
    description: successText(operation),
    headers: headerRefs(operation.headers),
    content: Object.fromEntries(
      operation.formats.map((format) => [
        mediaTypes[format],
        {
          schema: format === "json" ? successSchema(operation) : { type: "string" },
          ...namedExample(exampleOf(operation, format)),
        },
      ]),
    ),
  },
  ...notModifiedOf(operation),
  ...Object.fromEntries(
    operation.errors.map((code) => [errorTable[code].status, refTo("responses", errorName(code))]),
  ),
})

function notModifiedOf({ endpoint }: Operation): Record<string, JsonSchema> {
  if (endpoint.kind === "object") return {}
  if (endpoint.kind === "list" && endpoint.ofNoRelease) {
    return { 304: { description: notModifiedText, headers: headerRefs(stateHeaders) } }
  }
  return { 304: refTo("responses", notModifiedName) }
}

const notModifiedText = "The response that you have is current."

const successText = ({ endpoint, schema }: Operation): string =>
  endpoint.kind === "list" ? `A page of the list of ${schema} records.` : `The ${schema} asked for.`

const successSchema = (operation: Operation): JsonSchema =>
  operation.endpoint.kind === "list"
    ? refTo("schemas", listName(operation))
    : objectSchema({ data: refTo("schemas", operation.schema) })

const notModifiedName = "NotModified"

/** The responses that operations refer to. @param companies the operation that lists companies */
export const sharedResponses = (
  codes: Iterable<ErrorCode>,
  companies: Operation,
): Record<string, JsonSchema> => ({
  [notModifiedName]: { description: notModifiedText, headers: headerRefs(dataHeaders) },
  ...Object.fromEntries(
    [...codes].map((code) => [errorName(code), errorResponse(code, companies)]),
  ),
})

const errorResponse = (code: ErrorCode, companies: Operation): JsonSchema => ({
  description: errorTable[code].when,
  headers: {
    ...headerRefs([...commonHeaders, ...(errorHeaders[code] ?? [])]),
    "Cache-Control": headerObject("Cache-Control", "no-store"),
  },
  content: {
    "application/json": {
      schema: refTo("schemas", errorName(code)),
      ...namedExample(errorExample(code, companies)),
    },
  },
})

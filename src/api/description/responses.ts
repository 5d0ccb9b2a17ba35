/** The responses of an operation, and those that operations share. */
import { type ErrorCode, errorTable } from "../http/api-error.ts"
import { type Format, representations } from "../http/formats.ts"
import { responseHeaders } from "../http/response-headers.ts"
import { type Example, errorExample, exampleOf } from "./example-responses.ts"
import type { JsonSchema } from "./json-schema.ts"
import { commonHeaderNames, dataHeaders, type Operation } from "./operations.ts"
import { errorName, geoJsonSchema, listName, objectSchema, refTo } from "./schemas.ts"

/** Headers that some responses lack: exports, JSON, and responses before the first release. */
const optionalHeaders = ["Content-Disposition", "Last-Modified", "Link", "X-Total-Pages"]

/** A whole header. Its values are integers if its example is an integer. */
export function headerObject(name: string, example: string): JsonSchema {
  const isInteger = /^\d+$/.test(example)
  return {
    description: responseHeaders[name],
    required: !optionalHeaders.includes(name),
    schema: isInteger ? { type: "integer", format: "int64" } : { type: "string" },
    example: isInteger ? Number(example) : example,
  }
}

const headerRefs = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, refTo("headers", name)]))

/** A response as the only example of its media type, with its request as the summary. */
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
        representations[format].mediaType,
        contentOf(operation, format),
      ]),
    ),
  },
  ...(operation.endpoint.kind !== "object" && {
    304: {
      description: "Your earlier response is current.",
      headers: headerRefs(dataHeaders(operation.endpoint)),
    },
  }),
  ...Object.fromEntries(
    operation.errors.map((code) => [errorTable[code].status, refTo("responses", errorName(code))]),
  ),
})

const contentOf = (operation: Operation, format: Format): JsonSchema =>
  representations[format].isBinary
    ? { schema: { type: "string", format: "binary" } }
    : { schema: successSchema(operation, format), ...namedExample(exampleOf(operation, format)) }

const successText = ({ endpoint, schema }: Operation): string =>
  endpoint.kind === "list" ? `A page of the list of ${schema} records.` : `The requested ${schema}.`

function successSchema(operation: Operation, format: Format): JsonSchema {
  if (format === "geojson") return geoJsonSchema(operation)
  if (format !== "json") return { type: "string" }
  return operation.endpoint.kind === "list"
    ? refTo("schemas", listName(operation))
    : objectSchema({ data: refTo("schemas", operation.schema) })
}

/** The errors that operations refer to. */
export const errorResponses = (codes: Iterable<ErrorCode>) =>
  Object.fromEntries([...codes].map((code) => [errorName(code), errorResponse(code)]))

/** The headers that some errors have besides those of every response. */
const ownHeaders: Readonly<Partial<Record<ErrorCode, readonly string[]>>> = {
  UNAUTHORIZED: ["WWW-Authenticate"],
  RATE_LIMITED: ["Retry-After"],
  UNAVAILABLE: ["Retry-After"],
}

const errorResponse = (code: ErrorCode): JsonSchema => ({
  description: errorTable[code].when,
  headers: {
    ...headerRefs([...commonHeaderNames, ...(ownHeaders[code] ?? [])]),
    "Cache-Control": headerObject("Cache-Control", "no-store"),
  },
  content: {
    "application/json": {
      schema: refTo("schemas", errorName(code)),
      ...namedExample(errorExample(code)),
    },
  },
})

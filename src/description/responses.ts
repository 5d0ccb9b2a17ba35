/** The responses of an operation, and those that operations share. */
import { type ErrorCode, errorTable } from "../http/api-error.ts"
import { mediaTypes } from "../http/negotiation.ts"
import { type HeaderName, headerOf } from "../http/response-headers.ts"
import {
  type Example,
  type ExampleHeaders,
  errorExample,
  errorHeaders,
  exampleHeaders,
  exampleOf,
} from "./example-answers.ts"
import type { JsonSchema } from "./json-schema.ts"
import {
  commonHeaders,
  dataHeaders,
  type Operation,
  optionalHeaders,
  stateHeaders,
} from "./operations.ts"
import { errorName, listName, objectSchema, refTo } from "./schemas.ts"

type Headers = Record<string, JsonSchema>

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

/** A reference to the shared header where that has the same example. */
function headerObjects(
  names: readonly HeaderName[],
  examples: ExampleHeaders,
  shared: ExampleHeaders,
): Headers {
  return Object.fromEntries(
    names.map((name) => [
      name,
      examples[name] === shared[name] ? refTo("headers", name) : headerObject(name, examples[name]),
    ]),
  )
}

/** A response as the only example of its media type, with the request that it answers as its summary. */
const namedExample = ({ request, body }: Example) => ({
  examples: { example: { summary: request, value: body } },
})

/** The 200, the 304 and the errors of an operation. */
export const responsesOf = (
  operation: Operation,
  baseUrl: string,
  shared: ExampleHeaders,
): Record<string, JsonSchema> => ({
  200: {
    description: successText(operation),
    headers: headerObjects(operation.headers, exampleHeaders(operation, baseUrl), shared),
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
  ...notModifiedOf(operation, baseUrl, shared),
  ...Object.fromEntries(
    operation.errors.map((code) => [errorTable[code].status, refTo("responses", errorName(code))]),
  ),
})

function notModifiedOf(
  operation: Operation,
  baseUrl: string,
  shared: ExampleHeaders,
): Record<string, JsonSchema> {
  const { endpoint } = operation
  if (endpoint.kind === "object") return {}
  if (endpoint.kind === "record" || !endpoint.ofNoRelease) {
    return { 304: refTo("responses", notModifiedName) }
  }
  const examples = exampleHeaders(operation, baseUrl)
  return {
    304: {
      description: notModifiedText,
      headers: headerObjects(stateHeaders, examples, shared),
    },
  }
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
  shared: ExampleHeaders,
): Record<string, JsonSchema> => ({
  [notModifiedName]: {
    description: notModifiedText,
    headers: headerObjects(dataHeaders, shared, shared),
  },
  ...Object.fromEntries(
    [...codes].map((code) => [errorName(code), errorResponse(code, companies, shared)]),
  ),
})

function errorResponse(code: ErrorCode, companies: Operation, shared: ExampleHeaders): JsonSchema {
  const examples = errorHeaders(code)
  const own = (["Retry-After", "WWW-Authenticate"] as const).filter((name) => name in examples)
  return {
    description: errorTable[code].when,
    headers: headerObjects([...commonHeaders, ...own], examples, shared),
    content: {
      "application/json": {
        schema: refTo("schemas", errorName(code)),
        ...namedExample(errorExample(code, companies)),
      },
    },
  }
}

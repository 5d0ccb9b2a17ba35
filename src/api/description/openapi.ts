/** The OpenAPI 3.1 document, made only from the operations. */
import { version } from "../../program.ts"
import type { Endpoint } from "../responses/endpoint.ts"
import { headerExamples } from "./example-responses.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type Operation, operationsOf, type Parameter, titleOf } from "./operations.ts"
import { errorResponses, headerObject, responsesOf } from "./responses.ts"
import { schemasOf } from "./schemas.ts"
import { webhooks } from "./webhooks.ts"

export interface DescriptionOptions {
  endpoints: readonly Endpoint[]
  /** The service's public URL; empty if it is unknown. */
  baseUrl: string
}

/** The introduction of the API, for every form of its reference. */
export interface Description {
  operations: readonly Operation[]
  baseUrl: string
  openApi: JsonSchema
}

export function describeApi({ endpoints, baseUrl }: DescriptionOptions): Description {
  const operations = operationsOf(endpoints)
  return { operations, baseUrl, openApi: openApi(operations, baseUrl) }
}

function openApi(operations: readonly Operation[], baseUrl: string): JsonSchema {
  const examples = headerExamples(companiesIn(operations), baseUrl)
  const codes = new Set(operations.flatMap(({ errors }) => errors))
  return {
    openapi: "3.1.0",
    info: {
      title: "Mining and Geological Data Service",
      version,
      summary: "Read-only data on ASX-listed resource companies and Australian mining tenements",
      description: introduction,
      contact: {
        name: "The operator of this service",
        ...(baseUrl !== "" && { url: `${baseUrl}/docs` }),
      },
      license: { name: "Proprietary", identifier: "LicenseRef-Proprietary" },
    },
    servers: [{ url: `${baseUrl}/api/v1`, description: "This service" }],
    security: [{ bearerToken: [] }, { apiKey: [] }],
    tags: tagsOf(operations),
    paths: Object.fromEntries(
      operations.map((operation) => [
        operation.path,
        {
          get: {
            operationId: operation.id,
            tags: [titleOf(operation.group)],
            summary: operation.summary,
            description: operation.description,
            parameters: operation.parameters.map(parameterObject),
            responses: responsesOf(operation),
          },
        },
      ]),
    ),
    webhooks,
    components: {
      securitySchemes,
      schemas: schemasOf(operations),
      headers: Object.fromEntries(
        Object.entries(examples).map(([name, example]) => [name, headerObject(name, example)]),
      ),
      responses: errorResponses(codes),
    },
  }
}

/** The example is in the schema, because programs that try an endpoint would send the example of a parameter. */
const parameterObject = ({ example, schema, ...parameter }: Parameter): JsonSchema => ({
  ...parameter,
  // Values separated by commas.
  ...(schema.type === "array" && { style: "form", explode: false }),
  schema: { ...schema, examples: [example] },
})

/** The operation whose responses are the shared examples. */
export function companiesIn(operations: readonly Operation[]): Operation {
  const found = operations.find(({ id }) => id === "listCompanies")
  if (!found) throw new Error("No operation lists companies")
  return found
}

export const introduction = `Every operation is a GET (or HEAD) and needs a token, in the header \`Authorization\` or, for spreadsheets, in the parameter \`api_key\`.

Data is published in numbered releases, and every response with data comes from one release, except \`/sources\`. A client that follows \`next\` in the header \`Link\`, whose \`as_of\` names the release of the first page, receives every record exactly once, also while new data is being published. So does a client that starts at \`page=1\` and increments it until \`page >= meta.total_pages\`, if no other client reads the same list with the same token.

Parameters are parsed strictly: an unknown or repeated name and a malformed value are errors. An empty value is as if the parameter were absent, except for \`fields\` and points in time such as \`as_of\`, which need one. Enumerated values and booleans ignore case. Errors are JSON in every format. A method other than GET, HEAD and OPTIONS gets 405 \`METHOD_NOT_ALLOWED\`.`

const securitySchemes = {
  bearerToken: {
    type: "http",
    scheme: "bearer",
    description: "An API token, as `Authorization: Bearer TOKEN`",
  },
  apiKey: {
    type: "apiKey",
    in: "query",
    name: "api_key",
    description: "An API token, for spreadsheets; the header takes precedence",
  },
}

const tagsOf = (operations: readonly Operation[]): JsonSchema[] =>
  [...new Map(operations.map(({ group, endpoint }) => [group, endpoint]))].map(
    ([group, endpoint]) => ({
      name: titleOf(group),
      description:
        endpoint.kind === "object" ? endpoint.description : endpoint.resource.description,
    }),
  )

/** The operations of the API, for the description, made from the endpoints that the routes declare. */
import type { TSchema } from "@sinclair/typebox"
import type { Readable } from "../../data/resources/resource.ts"
import type { ErrorCode } from "../http/api-error.ts"
import type { Format } from "../http/formats.ts"
import { cacheBusterParameter } from "../http/parameters.ts"
import { headersOf } from "../http/response-headers.ts"
import type { Endpoint } from "../responses/endpoint.ts"
import { exampleTag } from "./examples.ts"
import { type JsonSchema, jsonSchema } from "./json-schema.ts"

export interface Parameter {
  name: string
  in: "path" | "query" | "header"
  required: boolean
  description: string
  schema: JsonSchema
  /** The name in a request. */
  example: string | number | boolean | readonly string[]
}

export interface Operation {
  /** For the functions of generated clients: `listTenementsOfCompany`. */
  id: string
  /** Relative to `/api/v1`: `/companies/{code}`. */
  path: string
  /** The plural of the returned resource: the tag, and the page of the reference. */
  group: string
  /** The schema name of the returned records: `Company`. */
  schema: string
  summary: string
  description: string
  parameters: Parameter[]
  formats: readonly Format[]
  /** The headers of its 200 response that HTTP itself does not define. */
  headers: readonly string[]
  errors: readonly ErrorCode[]
  endpoint: Endpoint
}

export const operationsOf = (endpoints: readonly Endpoint[]): Operation[] =>
  endpoints.map((endpoint) => {
    const path = endpoint.path.replace(/:(\w+)/g, "{$1}")
    return {
      ...naming(path, endpoint),
      path,
      parameters: [...pathParameters(path, endpoint), ...otherParameters(endpoint)],
      formats: endpoint.kind === "object" ? ["json"] : endpoint.formats,
      headers: [...dataHeaders(endpoint), ...(endpoint.kind === "list" ? headersOf("list") : [])],
      errors: errorsOf(endpoint),
      endpoint,
    }
  })

function naming(
  path: string,
  endpoint: Endpoint,
): Pick<Operation, "id" | "group" | "schema" | "summary" | "description"> {
  if (endpoint.kind === "object") {
    const { name, description } = endpoint
    const schema = capitalised(name)
    return { id: `get${schema}`, group: name, schema, summary: `Get your ${name}`, description }
  }
  const { resource } = endpoint
  const named = { group: resource.name, schema: pascal(resource.singular) }
  if (endpoint.kind === "record") {
    return {
      ...named,
      id: `get${named.schema}`,
      summary: `Get a ${resource.singular}`,
      description: `The ${resource.singular} with the \`${keyName(path)}\` in the path; with \`as_of\`, its state at that time.`,
    }
  }
  const { belongsTo, counts, description } = endpoint
  if (counts) {
    const id = `list${pascal(counts.singular)}Facets`
    const summary = `Count ${counts.name} by a field`
    return { ...named, id, summary, description: description ?? "" }
  }
  const owner = belongsTo?.resource.singular
  // `company-versions` are the versions of a company.
  const listed = owner ? resource.name.replace(`${owner}-`, "") : resource.name
  return {
    ...named,
    id: `list${pascal(listed)}${owner ? `Of${pascal(owner)}` : ""}`,
    summary: owner ? `List the ${words(listed)} of a ${owner}` : `List ${words(listed)}`,
    description: [resource.description, description].filter(Boolean).join(" "),
  }
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `company versions` of `company-versions`. */
const words = (name: string): string => name.replaceAll("-", " ")

/** The title of a group: `Company versions`. */
export const titleOf = (group: string): string => capitalised(words(group))

/** `CompanyVersions`. */
export const pascal = (name: string): string => words(name).split(" ").map(capitalised).join("")

function pathParameters(path: string, endpoint: Endpoint): Parameter[] {
  const owner = keyedBy(endpoint)
  const name = keyName(path)
  const schema = owner?.keyInPath ?? owner?.fields[owner.key]?.schema
  return schema && name !== undefined ? [parameterOf("path", name, schema, true)] : []
}

const keyName = (path: string): string | undefined => /\{(\w+)\}/.exec(path)?.[1]

/** The resource whose key the path contains. */
export function keyedBy(endpoint: Endpoint): Readable | undefined {
  if (endpoint.kind === "object") return undefined
  const isOwnKey = endpoint.kind === "record" || endpoint.counts
  return isOwnKey ? endpoint.resource : endpoint.belongsTo?.resource
}

const otherParameters = (endpoint: Endpoint): Parameter[] => [
  ...Object.entries({ ...endpoint.parameters, ...cacheBusterParameter }).map(([name, schema]) =>
    parameterOf("query", name, schema, false),
  ),
  ...(endpoint.kind === "object" ? [] : [ifNoneMatch]),
]

function parameterOf(
  where: Parameter["in"],
  name: string,
  declared: TSchema,
  required: boolean,
): Parameter {
  const { description = "", examples, ...schema } = jsonSchema(declared)
  const values = Array.isArray(schema.enum) ? schema.enum : []
  const [example = schema.default ?? values[0]] = Array.isArray(examples) ? examples : []
  if (example === undefined || description === "") {
    throw new Error(`The parameter ${name} has no description or example`)
  }
  return { name, in: where, required, description: String(description), schema, example }
}

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier response: while it is current, the response is 304",
  schema: { type: "string" },
  example: exampleTag,
}

/** The headers of a 304, and of the 200 of one record. */
export function dataHeaders(endpoint: Endpoint): string[] {
  if (endpoint.kind === "object") return commonHeaderNames
  const showsRelease = endpoint.kind === "record" || !endpoint.ofNoRelease
  return [...commonHeaderNames, ...headersOf("data"), ...(showsRelease ? headersOf("release") : [])]
}

/** The headers of every response under the prefix, errors included. */
export const commonHeaderNames = headersOf("fixed", "every")

const errorsOf = (endpoint: Endpoint): ErrorCode[] => [
  "INVALID_PARAMETER",
  "UNAUTHORIZED",
  ...(keyedBy(endpoint) ? (["NOT_FOUND"] as const) : []),
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
]

/** The groups of operations, each with its operations, in their order. */
export function groupsOf(operations: readonly Operation[]): Map<string, Operation[]> {
  const groups = Map.groupBy(operations, ({ group }) => group)
  for (const members of groups.values()) members.sort((one, other) => rankOf(one) - rankOf(other))
  return groups
}

/** The order: the list of all, one record, lists that belong to another record. */
const rankOf = ({ endpoint }: Operation): number =>
  endpoint.kind === "list" ? (endpoint.belongsTo ? 2 : 0) : 1

/** The reference as Markdown, for programs and, rendered, for people. */
import { errorTable } from "../http/api-error.ts"
import { representations } from "../http/formats.ts"
import { responseHeaders } from "../http/response-headers.ts"
import { errorExample, exampleOf, headerExamples } from "./example-responses.ts"
import type { JsonSchema } from "./json-schema.ts"
import { companiesIn, type Description, introduction } from "./openapi.ts"
import {
  commonHeaderNames,
  groupsOf,
  type Operation,
  type Parameter,
  titleOf,
} from "./operations.ts"
import { schemaOf } from "./schemas.ts"

export interface ReferenceOptions {
  /** The address of the service, for requests. */
  address: string
  /** The level of the title. */
  level: number
  /** The URL of a list in the explorer, and of a list with the example of a parameter. */
  explorer?: (operation: Operation, parameter?: Parameter) => string | undefined
}

/** The whole reference. @param address of the service, for requests */
export function referenceMarkdown(description: Description, address: string): string {
  const groups = [...groupsOf(description.operations)].map(([name, members]) =>
    groupMarkdown(name, members, { address, level: 2 }),
  )
  return ["# Reference", introduction, ...groups, commonMarkdown(description), ""].join("\n\n")
}

/** A resource: its fields, and each endpoint that returns it. */
export function groupMarkdown(
  name: string,
  members: readonly Operation[],
  options: ReferenceOptions,
): string {
  const [first] = members
  const below = { ...options, level: options.level + 1 }
  return [
    heading(options, titleOf(name)),
    ...(first ? [heading(below, "Fields"), fieldsTable(first)] : []),
    ...members.map((operation) => operationMarkdown(operation, below)),
  ].join("\n\n")
}

const heading = ({ level }: Pick<ReferenceOptions, "level">, text: string): string =>
  `${"#".repeat(level)} ${text}`

const fieldsTable = (operation: Operation): string =>
  table(
    ["Field", "Type", "Unknown", "Meaning"],
    Object.entries(schemaOf(operation).properties).map(([name, schema]) => [
      code(name),
      typeText(schema),
      Array.isArray(schema.type) ? code("null") : "",
      String(schema.description ?? ""),
    ]),
  )

function operationMarkdown(operation: Operation, options: ReferenceOptions): string {
  const { summary, path, description, parameters, formats, headers, errors } = operation
  const { address, explorer } = options
  const list = explorer?.(operation)
  const examples = formats.flatMap((format) => {
    // TSV has the same rows as CSV; a binary file has no example.
    if (format === "tsv" || representations[format].isBinary) return []
    const { request, body } = exampleOf(operation, format)
    const line = fenced("sh", curlLine(address, request.slice("GET ".length)))
    return [line, fenced(format === "atom" ? "xml" : format, bodyText(body).trimEnd())]
  })
  const own = headers.filter((name) => !commonHeaderNames.includes(name))
  return [
    heading(options, summary),
    code(`GET /api/v1${path}`),
    description,
    ...(list === undefined ? [] : [`[See the list in the explorer](<${list}>).`]),
    table(
      ["Parameter", "Type", "Default", "Example", "Meaning"],
      parameters.map((parameter) => {
        const { name, in: where, schema, description: meaning } = parameter
        const example = code(String(parameter.example))
        const link = explorer?.(operation, parameter)
        return [
          code(name),
          typeText(schema),
          where === "path" ? "required" : defaultText(schema),
          link === undefined ? example : `[${example}](<${link}>)`,
          where === "header" ? `A request header. ${meaning}` : meaning,
        ]
      }),
    ),
    ...examples,
    `Response headers: [those of every response](${address}/docs/reference#response-headers)${own.map((name) => `, ${code(name)}`).join("")}.`,
    `Errors: ${errors.map((each) => `${errorTable[each].status} ${code(each)}`).join(", ")}.`,
  ].join("\n\n")
}

/** The headers and the errors of all endpoints. */
export function commonMarkdown({ operations, baseUrl }: Description): string {
  const examples = headerExamples(companiesIn(operations), baseUrl)
  const codes = [...new Set(operations.flatMap(({ errors }) => errors))]
  return [
    "## Response headers",
    table(
      ["Header", "Meaning", "Example"],
      Object.entries(examples).map(([name, example]) => [
        code(name),
        responseHeaders[name] ?? "",
        code(example),
      ]),
    ),
    "## Errors",
    "Each has the same envelope, as JSON.",
    ...codes.map((each) => {
      const { request, body } = errorExample(each)
      const { status, when } = errorTable[each]
      return `### ${status} ${code(each)}\n\n${when} For example, ${code(request)}:\n\n${fenced("json", bodyText(body))}`
    }),
  ].join("\n\n")
}

/** `integer, 1 to 100`, `string, YYYY-MM-DD`, `one of asc, desc`. */
function typeText(schema: JsonSchema): string {
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
const defaultText = ({ default: value }: JsonSchema): string =>
  value === undefined ? "" : String(value)

/** The request with its token, for a terminal. @param target `/companies?format=csv` */
const curlLine = (publicUrl: string, target: string): string =>
  `curl -H "Authorization: Bearer $TOKEN" "${publicUrl}/api/v1${target}"`

/** A body for people: JSON on several lines, CSV and TSV unchanged. */
const bodyText = (body: unknown): string =>
  typeof body === "string" ? body.replaceAll("\r\n", "\n") : JSON.stringify(body, null, 2)

const code = (text: string): string => `\`${text}\``

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n")
}

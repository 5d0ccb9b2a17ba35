/** The reference as Markdown, for programs that read text. */
import { errorTable } from "../http/api-error.ts"
import { headerNames, headerOf } from "../http/response-headers.ts"
import { errorExample, exampleOf } from "./example-answers.ts"
import { companiesIn, type Description, introduction } from "./openapi.ts"
import { type Operation, titleOf } from "./operations.ts"
import { bodyText, curlLine, defaultText, fieldsOf, groupsOf, targetOf, typeText } from "./words.ts"

/** All of it. @param publicUrl the address of the service, for requests */
export function referenceMarkdown({ operations }: Description, publicUrl: string): string {
  const groups = [...groupsOf(operations)].map(([name, members]) =>
    groupMarkdown(name, members, publicUrl),
  )
  return ["# Reference", introduction, ...groups, errorsMarkdown(operations), headersMarkdown].join(
    "\n\n",
  )
}

function groupMarkdown(name: string, members: readonly Operation[], publicUrl: string): string {
  const [first] = members
  return [
    `## ${titleOf(name)}`,
    ...(first ? ["Fields:", fieldsTable(first)] : []),
    ...members.map((operation) => operationMarkdown(operation, publicUrl)),
  ].join("\n\n")
}

const fieldsTable = (operation: Operation): string =>
  table(
    ["field", "type", "may be unknown", "meaning"],
    fieldsOf(operation).map(({ name, type, nullable, meaning }) => [
      `\`${name}\``,
      type,
      nullable ? "yes" : "",
      meaning,
    ]),
  )

function operationMarkdown(operation: Operation, publicUrl: string): string {
  const { summary, path, description, parameters, formats } = operation
  return [
    `### ${summary}`,
    `\`GET /api/v1${path}\``,
    description,
    table(
      ["parameter", "in", "type", "default", "meaning"],
      parameters.map(({ name, in: where, schema, description: meaning }) => [
        `\`${name}\``,
        where,
        typeText(schema),
        defaultText(schema),
        meaning,
      ]),
    ),
    ...formats
      .map((format) => ({ format, ...exampleOf(operation, format) }))
      .map(({ format, request, body }) =>
        [
          fenced("sh", curlLine(publicUrl, targetOf(request))),
          fenced(format, bodyText(body).trimEnd()),
        ].join("\n\n"),
      ),
  ].join("\n\n")
}

function errorsMarkdown(operations: readonly Operation[]): string {
  const companies = companiesIn(operations)
  const codes = new Set(operations.flatMap(({ errors }) => errors))
  return [
    "## Errors",
    table(
      ["status", "code", "when"],
      Object.entries(errorTable).map(([code, { status, when }]) => [
        String(status),
        `\`${code}\``,
        when,
      ]),
    ),
    ...[...codes].map((code) => {
      const { request, body } = errorExample(code, companies)
      return `${request}:\n\n${fenced("json", bodyText(body))}`
    }),
  ].join("\n\n")
}

const headersMarkdown = [
  "## Response headers",
  table(
    ["header", "meaning"],
    headerNames.map((name) => [`\`${name}\``, headerOf(name).description]),
  ),
  "",
].join("\n\n")

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n")
}

/** The tables of the reference. Each row can be linked to. */
import type { Parameter } from "../../description/operations.ts"
import { defaultText, type FieldText, typeText } from "../../description/words.ts"
import { type ErrorCode, errorTable } from "../../http/api-error.ts"
import { type HeaderName, headerOf } from "../../http/response-headers.ts"
import { table } from "../kit/components.ts"
import { type Content, type Html, html } from "../kit/html.ts"

const none = "None."

/** The name of a row, at an address of its own. */
const named = (id: string, name: Content): Html =>
  html`<a class="name" id="${id}" href="#${id}">${name}</a>`

const code = (text: unknown): Html => html`<code>${String(text)}</code>`

export const fieldsTable = (resource: string, fields: readonly FieldText[]): Html =>
  table({
    caption: `Fields of ${resource}`,
    rows: fields,
    empty: none,
    columns: [
      { head: "Field", cell: ({ name }) => named(`field-${name}`, code(name)) },
      { head: "Type", cell: ({ type }) => type },
      { head: "Unknown", cell: ({ nullable }) => nullable && code(null) },
      { head: "Meaning", cell: ({ meaning }) => meaning, wide: true },
    ],
  })

/** @param link where a list with the parameter's example can be seen, if it can */
export const parametersTable = (
  operation: string,
  parameters: readonly Parameter[],
  link: (parameter: Parameter) => string | undefined,
): Html =>
  table({
    caption: `Parameters of ${operation}`,
    rows: parameters,
    empty: none,
    columns: [
      { head: "Parameter", cell: ({ name }) => named(`${operation}-${name}`, code(name)) },
      { head: "Type", cell: ({ schema }) => typeText(schema) },
      {
        head: "Default",
        cell: ({ in: where, schema }) =>
          where === "path" ? "required" : code(defaultText(schema)),
      },
      {
        head: "Meaning",
        cell: ({ in: where, description }) =>
          inline(where === "header" ? `A request header. ${description}` : description),
        wide: true,
      },
      {
        head: "Example",
        cell: (parameter) => {
          const address = link(parameter)
          const example = code(parameter.example)
          return address === undefined ? example : html`<a href="${address}">${example}</a>`
        },
      },
    ],
  })

export const errorsTable = (prefix: string, codes: readonly ErrorCode[]): Html =>
  table({
    caption: "Errors",
    rows: codes.map((name) => ({ name, ...errorTable[name] })),
    empty: none,
    columns: [
      { head: "Status", cell: ({ status }) => named(`${prefix}-${status}`, status) },
      {
        head: "Code",
        cell: ({ name }) => html`<a href="/docs/reference#${name}">${code(name)}</a>`,
      },
      { head: "When", cell: ({ when }) => inline(when), wide: true },
    ],
  })

export const headersTable = (
  prefix: string,
  names: readonly HeaderName[],
  examples: Readonly<Record<string, string>>,
): Html =>
  table({
    caption: "Response headers",
    rows: names,
    empty: none,
    columns: [
      { head: "Header", cell: (name) => named(`${prefix}-${name.toLowerCase()}`, code(name)) },
      { head: "Meaning", cell: (name) => inline(headerOf(name).description), wide: true },
      { head: "Example", cell: (name) => code(examples[name] ?? "") },
    ],
  })

/** Text with what stands between backquotes as code. */
export const inline = (text: string): Content =>
  text.split("`").map((part, index) => (index % 2 === 1 ? code(part) : part))

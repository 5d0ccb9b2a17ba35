/** The tables of the reference. Each row can be linked to. */
import type { Parameter } from "../../../description/operations.ts"
import { defaultText, type FieldText, typeText } from "../../../description/words.ts"
import { type ErrorCode, errorTable } from "../../../http/api-error.ts"
import { type HeaderName, headerOf } from "../../../http/response-headers.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"

/** The columns of sentences, which need room on a phone. */
const texts: readonly string[] = ["Meaning", "When"]

/** @param caption says what the table has; @param rows each with its id and its cells */
export const referenceTable = (
  caption: string,
  heads: readonly string[],
  rows: readonly { id: string; cells: readonly Content[] }[],
): Html =>
  html`<div class="table reference-table" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map(
    ({ id, cells: [first, ...others] }) =>
      html`<tr ${attributes({ id })}><th scope="row"><a class="name" href="#${id}">${first}</a></th>${others.map((cell, index) => html`<td ${attributes({ class: texts.includes(heads[index + 1] ?? "") && "wide" })}>${cell}</td>`)}</tr>
`,
  )}</tbody></table></div>`

export const fieldsTable = (resource: string, fields: readonly FieldText[]): Html =>
  referenceTable(
    `Fields of ${resource}`,
    ["Field", "Type", "Unknown", "Meaning"],
    fields.map(({ name, type, nullable, meaning }) => ({
      id: `field-${name}`,
      cells: [html`<code>${name}</code>`, type, nullable ? html`<code>null</code>` : "", meaning],
    })),
  )

/** @param link where a list with the parameter's example can be seen, if it can */
export const parametersTable = (
  operation: string,
  parameters: readonly Parameter[],
  link: (parameter: Parameter) => string | undefined,
): Html =>
  referenceTable(
    `Parameters of ${operation}`,
    ["Parameter", "Type", "Default", "Meaning", "Example"],
    parameters.map((parameter) => {
      const { name, in: where, schema, description } = parameter
      const example = html`<code>${String(parameter.example)}</code>`
      const address = link(parameter)
      return {
        id: `${operation}-${name}`,
        cells: [
          html`<code>${name}</code>`,
          typeText(schema),
          where === "path" ? "required" : html`<code>${defaultText(schema)}</code>`,
          inline(where === "header" ? `A request header. ${description}` : description),
          address === undefined ? example : html`<a href="${address}">${example}</a>`,
        ],
      }
    }),
  )

/** @param link where more is said about each */
export const errorsTable = (
  prefix: string,
  codes: readonly ErrorCode[],
  link: (code: ErrorCode) => string,
): Html =>
  referenceTable(
    "Errors",
    ["Status", "Code", "When"],
    codes.map((code) => ({
      id: `${prefix}-${errorTable[code].status}`,
      cells: [
        errorTable[code].status,
        html`<a href="${link(code)}"><code>${code}</code></a>`,
        inline(errorTable[code].when),
      ],
    })),
  )

export const headersTable = (
  prefix: string,
  names: readonly HeaderName[],
  examples: Readonly<Record<string, string>>,
): Html =>
  referenceTable(
    "Response headers",
    ["Header", "Meaning", "Example"],
    names.map((name) => ({
      id: `${prefix}-${name.toLowerCase()}`,
      cells: [
        html`<code>${name}</code>`,
        inline(headerOf(name).description),
        html`<code>${examples[name] ?? ""}</code>`,
      ],
    })),
  )

/** Text with what stands between backquotes as code. */
export const inline = (text: string): Content =>
  text.split("`").map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))

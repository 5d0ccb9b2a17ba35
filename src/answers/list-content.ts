/** The content of a page or of a whole list in one of the formats. */
import { codedBody } from "../http/content-coding.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import type { Readable } from "../resources/resource.ts"
import { type Column, delimitedWriter } from "../text/delimited.ts"
import type { ListPlan } from "./list-plan.ts"
import { type Content, type ContentHeaders, contentOf, type Validators } from "./represent.ts"

type Records = readonly Readonly<Record<string, unknown>>[]

export function pageContent(
  plan: ListPlan,
  validators: Validators,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): Content {
  const headers = {
    ...exportHeaders(plan, meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
  }
  const text =
    plan.format === "json" ? JSON.stringify({ data: records, meta }) : delimited(plan, records)
  return contentOf(validators, plan.format, headers, codedBody(text))
}

/** The headers of every export. */
export const exportHeaders = (plan: ListPlan, total: number): ContentHeaders => ({
  ...fileName(plan),
  "X-Total-Count": String(total),
})

const fileName = ({ format, list }: ListPlan): ContentHeaders =>
  format === "json"
    ? {}
    : { "Content-Disposition": `attachment; filename="${list.resource.name}.${format}"` }

/** Every record, with a header row. */
export function delimited(plan: ListPlan, records: Records): string {
  const { head, rows } = writerOf(plan)
  return head + rows(records)
}

/** `head` comes before the rows. @throws Error for JSON, in which no list is whole */
export function writerOf({ format, list, formulaGuard, byteOrderMark }: ListPlan) {
  if (format === "json") throw new Error("JSON has no rows")
  const writer = delimitedWriter(format, columnsOf(list.resource), { formulaGuard })
  return { ...writer, head: (byteOrderMark ? "\uFEFF" : "") + writer.header }
}

const columnsOf = ({ fields }: Readable): Column[] =>
  Object.entries(fields).map(([name, { schema }]) => ({
    name,
    type: columnTypes[schema.format ?? schema.type] ?? "text",
  }))

/** By the format or, without one, the type of a field. Any other is text. */
const columnTypes: Readonly<Record<string, Column["type"]>> = {
  date: "date",
  "date-time": "date",
  integer: "number",
  number: "number",
  boolean: "boolean",
}

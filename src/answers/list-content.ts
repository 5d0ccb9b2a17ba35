/** The content of a page or of a whole list in one of the formats. */
import { codedBody } from "../http/content-coding.ts"
import { linkHeader, type PageMeta } from "../http/page.ts"
import type { Readable } from "../resources/resource.ts"
import { type Column, delimitedWriter } from "../text/delimited.ts"
import type { ListPlan } from "./list-plan.ts"
import { type Content, type ContentHeaders, contentOf } from "./represent.ts"

type Records = readonly Readonly<Record<string, unknown>>[]

/** @param headers of its release */
export function pageContent(
  plan: ListPlan,
  etag: string,
  headers: ContentHeaders,
  { records, meta }: { records: Records; meta: PageMeta },
  baseUrl: string,
): Content {
  const shown = {
    ...headers,
    ...fileName(plan),
    "X-Total-Count": String(meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${baseUrl}${plan.path}`, plan.canonical, meta),
  }
  const text =
    plan.format === "json" ? JSON.stringify({ data: records, meta }) : delimited(plan, records)
  return contentOf(etag, plan.format, shown, codedBody(text))
}

/**
 * The same with `_` in its links, which tells page sequences apart: the content without it is shared by
 * requests with any `_`.
 */
export function withCacheBuster(content: Content, { cacheBuster }: ListPlan): Content {
  if (cacheBuster === "") return content
  const headers = new Headers(content.headers)
  const links = headers.get("Link")?.replaceAll(">;", `&_=${encodeURIComponent(cacheBuster)}>;`)
  if (links !== undefined) headers.set("Link", links)
  return { ...content, headers }
}

/** The headers that every export has, with those of its release. */
export const exportHeaders = (
  plan: ListPlan,
  headers: ContentHeaders,
  total: number,
): ContentHeaders => ({ ...headers, ...fileName(plan), "X-Total-Count": String(total) })

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

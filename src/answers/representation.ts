/** The representation of a response: its headers, media type and content coding. */
import type { Release } from "../db/reader/releases.ts"
import { encodeText } from "../http/content-coding.ts"
import {
  byteOrderMark,
  type Column,
  type DelimitedFormat,
  delimitedType,
  delimitedWriter,
} from "../http/delimited.ts"
import { entityTag, namesTag } from "../http/entity-tag.ts"
import { type Format, mediaTypes } from "../http/negotiation.ts"
import type { Readable } from "../resources/resource.ts"
import type { ListPlan } from "./list-plan.ts"

export const exportHeaders = (total: number, shown: Record<string, string>, plan: ListPlan) => ({
  ...shown,
  ...fileName(plan),
  "X-Total-Count": String(total),
})

export const fileName = ({ format, list }: ListPlan): Record<string, string> =>
  format === "json"
    ? {}
    : { "Content-Disposition": `attachment; filename="${list.resource.name}.${format}"` }

export function writerOf(
  { list, formulaGuard, byteOrderMark: marked }: ListPlan,
  format: DelimitedFormat,
) {
  const { header, row } = delimitedWriter(format, columnsOf(list.resource), { formulaGuard })
  return { head: (marked ? byteOrderMark : "") + header, row }
}

const columnsOf = ({ fields }: Readable): Column[] =>
  Object.entries(fields).map(([name, { schema }]) => ({
    name,
    freeText:
      (schema.type === "string" || schema.anyOf !== undefined) &&
      !["date", "date-time"].includes(schema.format),
  }))

export const dataHeaders = (
  release: Release,
  key: string,
  format: Format,
): Record<string, string> => ({
  "Content-Type": format === "json" ? mediaTypes.json : delimitedType(format),
  "Cache-Control": "private, no-cache",
  "X-Data-Release": String(release.id),
  ETag: entityTag(release, key, format),
  ...(release.id > 0 && { "Last-Modified": new Date(release.publishedAt * 1000).toUTCString() }),
})

/** `*` matches any response, which is known to exist only once it was found. */
export const asksForAny = ({ headers }: Request): boolean =>
  headers.get("if-none-match")?.trim() === "*"

export const isKnown = (request: Request, shown: Record<string, string>): boolean =>
  !asksForAny(request) && namesTag(request.headers.get("if-none-match"), shown.ETag ?? "")

export function respond(request: Request, headers: Record<string, string>, text: string): Response {
  if (asksForAny(request)) return notModified(headers)
  const { body, headers: coding } = encodeText(text, request.headers.get("accept-encoding"))
  return new Response(body, { headers: { ...headers, ...coding } })
}

export function notModified(headers: Record<string, string>): Response {
  const { "Content-Type": _, ...kept } = headers
  return new Response(null, { status: 304, headers: kept })
}

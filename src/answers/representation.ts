/** The representation of a response: its headers, media type and content coding. */
import type { Release } from "../db/reader/releases.ts"
import { apiHeaders } from "../http/api-headers.ts"
import { codedBody, encodeBody } from "../http/content-coding.ts"
import { entityTag, namesTag } from "../http/entity-tag.ts"
import { contentTypes, type Format } from "../http/negotiation.ts"
import { type Readable, valueTypeOf } from "../resources/resource.ts"
import { type Column, type DelimitedFormat, delimitedWriter } from "../text/delimited.ts"
import type { Answer } from "./cached-answers.ts"
import type { ListPlan } from "./list-plan.ts"

export type ResponseHeaders = Readonly<Record<string, string>>

/** With those that every response of the API has. */
export const apiResponseHeaders = (headers: ResponseHeaders): Headers =>
  new Headers({ ...apiHeaders, ...headers })

/** The headers of a response with data, which is a function of release or state, query and format. */
export interface DataHeaders extends ResponseHeaders {
  ETag: string
}

/** Of a response that belongs to no release. */
export const stateHeaders = (etag: string, format: Format): DataHeaders => ({
  "Content-Type": contentTypes[format],
  "Cache-Control": "private, no-cache",
  ETag: etag,
})

export const dataHeaders = (release: Release, key: string, format: Format): DataHeaders => ({
  ...stateHeaders(entityTag(release, key, format), format),
  "X-Data-Release": String(release.id),
  ...(release.id > 0 && { "Last-Modified": new Date(release.publishedAt * 1000).toUTCString() }),
})

/** The values of `Cache-Status` (RFC 9211). */
export const cacheStatus = {
  hit: "mds; hit",
  miss: "mds; fwd=miss",
  bypass: "mds; fwd=bypass",
} as const

export const statusWhenMade = ({ cacheable }: ListPlan): string =>
  cacheable ? cacheStatus.miss : cacheStatus.bypass

export const exportHeaders = (total: number, shown: ResponseHeaders, plan: ListPlan): Headers =>
  apiResponseHeaders({
    ...shown,
    ...fileName(plan),
    "Cache-Status": statusWhenMade(plan),
    "X-Total-Count": String(total),
  })

export const fileName = ({ format, list }: ListPlan): Record<string, string> =>
  format === "json"
    ? {}
    : { "Content-Disposition": `attachment; filename="${list.resource.name}.${format}"` }

/** `head` comes before the rows. */
export function writerOf({ list, formulaGuard, byteOrderMark }: ListPlan, format: DelimitedFormat) {
  const writer = delimitedWriter(format, columnsOf(list.resource), { formulaGuard })
  return { ...writer, head: (byteOrderMark ? "\uFEFF" : "") + writer.header }
}

const columnsOf = ({ fields }: Readable): Column[] =>
  Object.entries(fields).map(([name, { schema }]) => ({
    name,
    type: valueTypeOf(schema),
    freeText:
      (schema.type === "string" || schema.anyOf !== undefined) &&
      !["date", "date-time"].includes(schema.format),
  }))

/** `*` matches any response, which is known to exist only once it was found. */
export const asksForAny = ({ headers }: Pick<Request, "headers">): boolean =>
  headers.get("if-none-match")?.trim() === "*"

/** Whether the client has the response with that tag. */
export const isKnown = ({ headers }: Pick<Request, "headers">, etag: string): boolean =>
  namesTag(headers.get("if-none-match"), etag)

export const answerOf = (headers: DataHeaders, text: string): Answer => ({
  etag: headers.ETag,
  headers: apiResponseHeaders(headers),
  body: codedBody(text),
})

/** @param status of the cache */
export function respond(request: Request, answer: Answer, status: string): Response {
  if (asksForAny(request) || isKnown(request, answer.etag)) {
    return notModified(answer.headers, status)
  }
  const { bytes, coding } = encodeBody(answer.body, request.headers.get("accept-encoding"))
  const response = new Response(bytes, { headers: answer.headers })
  response.headers.set("Cache-Status", status)
  response.headers.set("Content-Length", String(bytes.length))
  if (coding) response.headers.set("Content-Encoding", coding)
  return response
}

/** @param shown the headers of the 200 */
export function notModified(shown: Headers, status?: string): Response {
  const headers = new Headers(shown)
  headers.delete("Content-Type")
  if (status) headers.set("Cache-Status", status)
  return new Response(null, { status: 304, headers })
}

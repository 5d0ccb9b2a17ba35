/**
 * The one place that makes the response to a request for data: its status, headers, body and content
 * coding. (The plugin `errors` makes those of errors.)
 */
import type { Release } from "../db/reader/releases.ts"
import { apiHeaders } from "../http/api-headers.ts"
import { type CodedBody, encodeBody } from "../http/content-coding.ts"
import { namesTag } from "../http/entity-tag.ts"
import { contentTypes, type Format } from "../http/negotiation.ts"
import type { Asked } from "./asked.ts"

/** The headers of a 200 that follow from its content alone, without those that the API always has. */
export type ContentHeaders = Readonly<Record<string, string>>

/** The content of a response, before anything that depends on the request. */
export interface Content<Body = CodedBody> {
  etag: string
  /** With those that every response of the API has. */
  headers: Headers
  body: Body
}

/** The values of `Cache-Status` (RFC 9211). */
export const cacheStatus = {
  hit: "mds; hit",
  miss: "mds; fwd=miss",
  bypass: "mds; fwd=bypass",
} as const

export type CacheStatus = (typeof cacheStatus)[keyof typeof cacheStatus]

/**
 * 200 with the body, in the coding that the client prefers; without one, its headers alone. 304 where the
 * client has this response.
 */
export function represent(
  { request, headers }: Pick<Asked, "request" | "headers">,
  content: Content<CodedBody | ReadableStream<Uint8Array> | null>,
  status: CacheStatus,
): Response {
  const isCurrent = isKnown(request, content.etag) || hasWildcardIfNoneMatch(request)
  const { bytes, coding } = isCurrent ? nothing : bodyOf(request, content.body)
  const response = new Response(bytes, { status: isCurrent ? 304 : 200, headers: content.headers })
  for (const name in headers) response.headers.set(name, headers[name] ?? "")
  response.headers.set("Cache-Status", status)
  if (isCurrent) response.headers.delete("Content-Type")
  if (bytes instanceof Uint8Array) response.headers.set("Content-Length", String(bytes.length))
  if (coding) response.headers.set("Content-Encoding", coding)
  return response
}

const nothing = { bytes: null, coding: null }

/** A stream has its coding already. */
const bodyOf = ({ headers }: Request, body: CodedBody | ReadableStream<Uint8Array> | null) =>
  body === null || body instanceof ReadableStream
    ? { bytes: body, coding: null }
    : encodeBody(body, headers.get("accept-encoding"))

/** Whether the client has the response with that tag. */
export const isKnown = ({ headers }: Pick<Request, "headers">, etag: string): boolean =>
  namesTag(headers.get("if-none-match"), etag)

/** `*` matches any response, which is known to exist only once it was found. */
export const hasWildcardIfNoneMatch = ({ headers }: Pick<Request, "headers">): boolean =>
  headers.get("if-none-match")?.trim() === "*"

/** @param headers those that follow from the content */
export const contentOf = <Body>(
  etag: string,
  format: Format,
  headers: ContentHeaders,
  body: Body,
): Content<Body> => ({
  etag,
  headers: new Headers({
    ...apiHeaders,
    "Content-Type": contentTypes[format],
    "Cache-Control": "private, no-cache",
    ETag: etag,
    ...headers,
  }),
  body,
})

/** Of a response that is a function of a release and a query. */
export const releaseHeaders = ({ id, publishedAt }: Release): ContentHeaders => ({
  "X-Data-Release": String(id),
  ...(id > 0 && { "Last-Modified": new Date(publishedAt * 1000).toUTCString() }),
})

/** 200 with an object that is of this moment: it has no entity tag, and no cache has it. */
export function representObject({ headers }: Pick<Asked, "headers">, object: object): Response {
  const body = JSON.stringify(object)
  return new Response(body, {
    headers: {
      ...apiHeaders,
      "Content-Type": contentTypes.json,
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": "private, no-cache",
      ...headers,
    },
  })
}

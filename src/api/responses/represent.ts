/**
 * Makes every response with data: status, headers, body and content coding. (The plugin `errors` makes
 * every error response.)
 */
import { type Release, releaseKey } from "../../data/reader/releases.ts"
import type { SourceStates } from "../../data/reader/sources.ts"
import { type CodedBody, encodedResponse } from "../http/content-coding.ts"
import { entityTag, namesTag } from "../http/entity-tag.ts"
import { contentType, type Format } from "../http/formats.ts"
import { withCacheBuster } from "../http/page.ts"
import { apiHeaders } from "../http/response-headers.ts"
import type { DataRequest } from "./data-request.ts"

/** Headers that follow from the content of a response. */
export type ContentHeaders = Readonly<Record<string, string>>

/** The headers of a 304 that follow from the content. */
export interface Validators extends ContentHeaders {
  ETag: string
}

/** The content of a response, before anything that depends on the request. */
export interface ResponseContent<Body = CodedBody> {
  validators: Validators
  /** The headers of a 200, including the validators and the fixed headers of the API. */
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

const fixedHeaders = { ...apiHeaders, "Cache-Control": "private, no-cache" }
/** Copying a `Headers` costs less than building one. */
const fixed = new Headers(fixedHeaders)

type Represented = Pick<DataRequest, "request" | "headers">

/**
 * Returns 304 if the client has this response, otherwise 200 with the body in the coding that the client
 * prefers.
 * @param cacheBuster the value of `_`, which links repeat; empty without one
 */
export function represent(
  represented: Represented,
  { validators, headers, body }: ResponseContent<CodedBody | ReadableStream<Uint8Array> | null>,
  status: CacheStatus,
  cacheBuster = "",
): Response {
  const { request } = represented
  if (isNotModified(request, validators)) return notModified(represented, validators, status)
  // A stream is already coded.
  const response =
    body === null || body instanceof ReadableStream
      ? new Response(body, { headers })
      : encodedResponse(request, body, { headers })
  setHeaders(response.headers, represented.headers, status)
  const links = cacheBuster && response.headers.get("Link")
  if (links) response.headers.set("Link", withCacheBuster(links, cacheBuster))
  return response
}

/** Returns 304. */
export function notModified(
  { headers }: Represented,
  validators: Validators,
  status: CacheStatus,
): Response {
  const response = new Response(null, { status: 304, headers: fixed })
  setHeaders(response.headers, validators)
  setHeaders(response.headers, headers, status)
  return response
}

function setHeaders(to: Headers, headers: ContentHeaders, status?: CacheStatus): void {
  for (const name in headers) to.set(name, headers[name] ?? "")
  if (status) to.set("Cache-Status", status)
}

/** Whether the response that exists is a 304. */
export const isNotModified = (request: Pick<Request, "headers">, validators: Validators): boolean =>
  matchesTag(request, validators) || hasWildcardIfNoneMatch(request)

/** Whether `If-None-Match` names the response. */
export const matchesTag = ({ headers }: Pick<Request, "headers">, { ETag }: Validators): boolean =>
  namesTag(headers.get("if-none-match"), ETag)

/** `*` matches any existing response, so the record or list must be found first. */
export const hasWildcardIfNoneMatch = ({ headers }: Pick<Request, "headers">): boolean =>
  headers.get("if-none-match")?.trim() === "*"

/** @param further headers of a 200 with this content */
export function contentOf<Body>(
  validators: Validators,
  format: Format,
  further: ContentHeaders,
  body: Body,
): ResponseContent<Body> {
  const headers = new Headers(fixed)
  headers.set("Content-Type", contentType(format))
  setHeaders(headers, { ...validators, ...further })
  return { validators, headers, body }
}

/** The version of the data: that of a release, or of the state of the sources. */
export const versionOf = (shown: Release | SourceStates): string =>
  "version" in shown ? shown.version : releaseKey(shown)

/** The validators of a response that is a function of a version and a query. */
export const validatorsOf = (shown: Release | SourceStates, query: string): Validators => ({
  ETag: entityTag(versionOf(shown), query),
  ...("id" in shown && {
    "X-Data-Release": String(shown.id),
    ...(shown.id > 0 && { "Last-Modified": new Date(shown.publishedAt * 1000).toUTCString() }),
  }),
})

/** Returns 200 with an object that changes at any moment: it has no entity tag and is not cached. */
export function representObject(
  { headers }: Pick<DataRequest, "headers">,
  object: object,
): Response {
  const body = JSON.stringify(object)
  return new Response(body, {
    headers: {
      ...fixedHeaders,
      "Content-Type": contentType("json"),
      "Content-Length": String(Buffer.byteLength(body)),
      ...headers,
    },
  })
}

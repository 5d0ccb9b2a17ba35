/**
 * From a query to the answer: the release, then 304 if the caller has that answer, then the data.
 * Every answer with data is a function of (query, release), and its headers say so.
 */
import type { Reader } from "../db/reader.ts"
import type { Release, Releases } from "../db/releases.ts"
import { ApiError } from "../http/api-error.ts"
import { encodeText, streamCoder } from "../http/content-coding.ts"
import {
  byteOrderMark,
  type Column,
  type DelimitedFormat,
  delimitedType,
  delimitedWriter,
} from "../http/delimited.ts"
import { entityTag, namesTag } from "../http/entity-tag.ts"
import { type Format, mediaTypes } from "../http/negotiation.ts"
import { linkHeader, offsetOf, pageMeta } from "../http/page.ts"
import { canonicalQuery, readParameters } from "../http/parameters.ts"
import { describeError, type Log } from "../log.ts"
import { exchangeOf } from "../plugins/exchange.ts"
import type { Resource } from "../resources/resource.ts"
import { exportStream } from "./export-stream.ts"
import { type ListEndpoint, type ListQuery, readListQuery } from "./lists.ts"

export interface AnswerOptions {
  releases: Releases
  /** Reads pages and records. */
  reader: Reader
  /** Reads exports, on connections of their own. */
  exporter: Reader
  log: Log
  baseUrl: string
  exportStallMs: number
}

/** What a handler has of its request. */
interface Asked {
  request: Request
  target: { path: string; query: string }
}

export interface Answers {
  /** @param parent the key of the record that the list belongs to, from the path */
  list(endpoint: ListEndpoint, asked: Asked, parent?: string): Promise<Response>
  one(resource: Resource, key: string, asked: Asked): Promise<Response>
}

const exportChunk = 2_000

export const createAnswers = (options: AnswerOptions): Answers => ({
  list: async (endpoint, { request, target }, parent) => {
    const accept = request.headers.get("accept")
    const query = readListQuery(endpoint, target.query, accept, (of) => keyOf(of, parent ?? ""))
    const release = await options.releases.current()
    const show = (shown: Release) =>
      dataHeaders(shown, `${target.path}?${query.canonical}`, query.format)
    if (isKnown(request, show(release))) return notModified(show(release))
    const asked = { request, path: target.path, query, release }
    return query.all ? exportAnswer(options, asked, show) : pageAnswer(options, asked, show)
  },

  one: async (resource, key, { request, target }) => {
    const parameters = readParameters(target.query, {})
    const release = await options.releases.current()
    const show = (shown: Release) =>
      dataHeaders(shown, `${target.path}?${canonicalQuery(parameters)}`, "json")
    if (isKnown(request, show(release))) return notModified(show(release))
    const found = await options.reader.find(resource, keyOf(resource, key), release)
    if (!found) throw new ApiError("NOT_FOUND")
    return respond(request, show(found.release), JSON.stringify({ data: found.record }))
  },
})

/** PostgreSQL's text can't hold a NUL, so no record has one in its key. */
function keyOf({ keyFromPath }: Resource, text: string): string {
  if (text.includes("\0")) throw new ApiError("NOT_FOUND")
  return keyFromPath(text)
}

interface AskedList {
  request: Request
  path: string
  query: ListQuery
  release: Release
}

type Show = (release: Release) => Record<string, string>

async function pageAnswer(
  { reader, baseUrl }: AnswerOptions,
  { request, path, query, release }: AskedList,
  show: Show,
): Promise<Response> {
  const { page, perPage } = query
  const place = { offset: offsetOf(page, perPage), limit: perPage }
  const found = await reader.page(query.list, place, release)
  if (!found) throw new ApiError("NOT_FOUND")
  const meta = pageMeta(found.total, page, perPage)
  const headers = {
    ...show(found.release),
    ...fileName(query),
    "X-Total-Count": String(meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${baseUrl}${path}`, query.given, meta),
  }
  if (query.format === "json") {
    return respond(request, headers, JSON.stringify({ data: found.records, meta }))
  }
  const { head, row } = writerOf(query, query.format)
  return respond(request, headers, head + found.records.map(row).join(""))
}

async function exportAnswer(
  { exporter, log, exportStallMs }: AnswerOptions,
  { request, query, release }: AskedList,
  show: Show,
): Promise<Response> {
  if (request.method === "HEAD" || asksForAny(request)) {
    const counted = await exporter.total(query.list, release)
    if (!counted) throw new ApiError("NOT_FOUND")
    const headers = exportHeaders(counted.total, show(counted.release), query)
    if (asksForAny(request)) return notModified(headers)
    return new Response(null, { headers })
  }
  const found = await exporter.chunks(query.list, exportChunk, release)
  if (!found) throw new ApiError("NOT_FOUND")
  const { id, liftIdleTimeout } = exchangeOf(request)
  liftIdleTimeout()
  const coder = streamCoder(request.headers.get("accept-encoding"))
  const stream = exportStream(found.chunks, {
    ...writerOf(query, query.format as DelimitedFormat),
    coder,
    stallMs: exportStallMs,
    onEnd: ({ error, ...outcome }) => {
      const fields = { request: id, ...outcome }
      if (error === undefined) log.info("export ended", fields)
      else log.error("export ended", { ...fields, ...describeError(error) })
    },
  })
  const headers = exportHeaders(found.total, show(found.release), query)
  return new Response(stream, { headers: { ...headers, ...coder.headers } })
}

const exportHeaders = (total: number, shown: Record<string, string>, query: ListQuery) => ({
  ...shown,
  ...fileName(query),
  "X-Total-Count": String(total),
})

const fileName = ({ format, list }: ListQuery): Record<string, string> =>
  format === "json"
    ? {}
    : { "Content-Disposition": `attachment; filename="${list.resource.name}.${format}"` }

function writerOf(
  { list, formulaGuard, byteOrderMark: marked }: ListQuery,
  format: DelimitedFormat,
) {
  const { header, row } = delimitedWriter(format, columnsOf(list.resource), { formulaGuard })
  return { head: (marked ? byteOrderMark : "") + header, row }
}

const columnsOf = ({ fields }: Resource): Column[] =>
  Object.entries(fields).map(([name, { schema }]) => ({
    name,
    freeText:
      (schema.type === "string" || schema.anyOf !== undefined) &&
      !["date", "date-time"].includes(schema.format),
  }))

const dataHeaders = (release: Release, query: string, format: Format): Record<string, string> => ({
  "Content-Type": format === "json" ? mediaTypes.json : delimitedType(format),
  "Cache-Control": "private, no-cache",
  "X-Data-Release": String(release.id),
  ETag: entityTag(release, query, format),
  ...(release.id > 0 && { "Last-Modified": new Date(release.publishedAt * 1000).toUTCString() }),
})

/** `*` names any answer, which is known to exist only once it was found. */
const asksForAny = ({ headers }: Request): boolean => headers.get("if-none-match")?.trim() === "*"

const isKnown = (request: Request, shown: Record<string, string>): boolean =>
  !asksForAny(request) && namesTag(request.headers.get("if-none-match"), shown.ETag ?? "")

function respond(request: Request, headers: Record<string, string>, text: string): Response {
  if (asksForAny(request)) return notModified(headers)
  const { body, headers: coding } = encodeText(text, request.headers.get("accept-encoding"))
  return new Response(body, { headers: { ...headers, ...coding } })
}

function notModified(headers: Record<string, string>): Response {
  const { "Content-Type": _, ...kept } = headers
  return new Response(null, { status: 304, headers: kept })
}

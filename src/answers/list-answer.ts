/**
 * From a query to the answer: the release, then 304 if the caller has that answer, then the data.
 * Every answer with data is a function of (query, release), and its headers say so.
 */
import type { ConcurrencyLimiter } from "../db/pool/concurrency-limiter.ts"
import type { Account } from "../db/pool/fair-queue.ts"
import type { List, Reader } from "../db/reader/reader.ts"
import type { Release, Releases } from "../db/reader/releases.ts"
import { ApiError } from "../http/api-error.ts"
import { streamCoder } from "../http/content-coding.ts"
import type { DelimitedFormat } from "../http/delimited.ts"
import { linkHeader, offsetOf, pageMeta } from "../http/page.ts"
import { canonicalQuery, readParameters } from "../http/parameters.ts"
import { describeError, type Log } from "../log/log.ts"
import { exchangeOf } from "../plugins/exchange.ts"
import type { Readable } from "../resources/resource.ts"
import { digest } from "../text/digest.ts"
import { exportStream } from "./export-stream.ts"
import { type ListEndpoint, type ListQuery, reading, readListQuery } from "./list-plan.ts"
import {
  asksForAny,
  dataHeaders,
  exportHeaders,
  fileName,
  isKnown,
  notModified,
  respond,
  writerOf,
} from "./representation.ts"
import { createMoments } from "./resolve-release.ts"
import type { Crawls } from "./sequences/page-sequences.ts"

export interface AnswerOptions {
  releases: Releases
  reader: Reader
  /** One for each export under way. */
  exportSlots: ConcurrencyLimiter
  /** How long an export may wait for its slot. */
  exportWaitMs: number
  crawls: Crawls
  log: Log
  now: () => Date
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
  one(resource: Readable, key: string, asked: Asked): Promise<Response>
}

const exportChunk = 2_000

export function createAnswers(options: AnswerOptions): Answers {
  const moments = createMoments(options.releases, options.now)
  const crawled = crawledRelease(options)

  return {
    list: async (endpoint, { request, target }, parent) => {
      const askedMs = options.now().getTime()
      const accept = request.headers.get("accept")
      const query = readListQuery(endpoint, target.query, accept, (of) => keyOf(of, parent ?? ""))
      const crawl = { ...crawlOf(request, target.path, query), askedMs }
      const account = accountOf(request)
      const release =
        (await crawled(crawl, query)) ?? (await moments.shown(query.moments.asOf, account))
      const shown = dataHeaders(release, `${target.path}?${query.canonical}`, query.format)
      if (isKnown(request, shown)) {
        if (query.page === 1 && !query.all) await beginCrawl(options, crawl, release)
        return notModified(shown)
      }
      const list = await moments.compared(query.list, query.moments, { release, account })
      const asked = { request, path: target.path, query, list, release, shown, crawl }
      return query.all ? exportAnswer(options, asked) : pageAnswer(options, asked)
    },

    one: async (resource, key, { request, target }) => {
      const parameters = readParameters(target.query, reading)
      const account = accountOf(request)
      const release = await moments.shown(parameters.values.as_of as string | undefined, account)
      const shown = dataHeaders(release, `${target.path}?${canonicalQuery(parameters)}`, "json")
      if (isKnown(request, shown)) return notModified(shown)
      const record = await options.reader.find(resource, keyOf(resource, key), {
        release,
        account,
      })
      if (!record) throw new ApiError("NOT_FOUND")
      return respond(request, shown, JSON.stringify({ data: record }))
    },
  }
}

/** PostgreSQL's text can't hold a NUL, so no record has one in its key. */
function keyOf({ keyFromPath }: Readable, text: string): string {
  if (text.includes("\0")) throw new ApiError("NOT_FOUND")
  return keyFromPath(text)
}

/** The account whose turns at the database a request takes. */
const accountOf = (request: Request): Account => exchangeOf(request).caller?.accountId ?? null

/** What tells one crawl from another: whose and of what it is, and from where it is read. */
function crawlOf(request: Request, path: string, query: ListQuery) {
  const { caller, address } = exchangeOf(request)
  return {
    query: `${caller?.accountId} ${digest(`${path}?${query.crawl}`)}`,
    client: `${caller?.tokenId} ${address}`,
  }
}

/** Who asks which query, and when. */
type Crawl = ReturnType<typeof crawlOf> & { askedMs: number }

/**
 * The release that a later page belongs to, as long as its crawl is under way. That of `as_of` is
 * pinned too: what a day shows may change until it has ended.
 */
const crawledRelease =
  ({ crawls }: AnswerOptions) =>
  async (
    { query, client, askedMs }: Crawl,
    { page, all }: ListQuery,
  ): Promise<Release | undefined> =>
    page === 1 || all ? undefined : crawls.next(query, client, page, askedMs)

/** @param pages how many there are, where that is known */
const beginCrawl = (
  { crawls }: AnswerOptions,
  { query, client, askedMs }: Crawl,
  release: Release,
  pages?: number,
): Promise<void> => crawls.begin(query, { client, release, pages }, askedMs)

interface AskedList {
  request: Request
  path: string
  query: ListQuery
  list: List
  release: Release
  /** The headers that every answer of this query and release has. */
  shown: Record<string, string>
  crawl: Crawl
}

async function pageAnswer(
  options: AnswerOptions,
  { request, path, query, list, release, shown, crawl }: AskedList,
): Promise<Response> {
  const { page, perPage } = query
  const place = { offset: offsetOf(page, perPage), limit: perPage }
  const found = await options.reader.page(list, place, { release, account: accountOf(request) })
  if (!found) throw new ApiError("NOT_FOUND")
  const meta = pageMeta(found.total, page, perPage)
  if (page === 1 && meta.total_pages > 1) {
    await beginCrawl(options, crawl, release, meta.total_pages)
  }
  const headers = {
    ...shown,
    ...fileName(query),
    "X-Total-Count": String(meta.total),
    "X-Total-Pages": String(meta.total_pages),
    Link: linkHeader(`${options.baseUrl}${path}`, query.given, meta),
  }
  if (query.format === "json") {
    return respond(request, headers, JSON.stringify({ data: found.records, meta }))
  }
  const { head, row } = writerOf(query, query.format)
  return respond(request, headers, head + found.records.map(row).join(""))
}

async function exportAnswer(
  { reader, exportSlots, exportWaitMs, crawls, log, exportStallMs }: AnswerOptions,
  { request, query, list, release, shown }: AskedList,
): Promise<Response> {
  const read = { release, account: accountOf(request) }
  if (request.method === "HEAD" || asksForAny(request)) {
    const total = await reader.total(list, read)
    if (total === null) throw new ApiError("NOT_FOUND")
    const headers = exportHeaders(total, shown, query)
    return asksForAny(request) ? notModified(headers) : new Response(null, { headers })
  }
  const { id, liftIdleTimeout } = exchangeOf(request)
  // Nothing is sent while it waits for its turns, and nothing while its receiver does not read.
  liftIdleTimeout()
  const releaseSlot = await exportSlots.acquire({ account: read.account, waitMs: exportWaitMs })
  const found = await reader.chunks(list, exportChunk, read).catch((error: unknown) => {
    releaseSlot()
    throw error
  })
  if (!found) {
    releaseSlot()
    throw new ApiError("NOT_FOUND")
  }
  const letGo = crawls.hold(release)
  const coder = streamCoder(request.headers.get("accept-encoding"))
  const stream = exportStream(found.chunks, {
    ...writerOf(query, query.format as DelimitedFormat),
    coder,
    stallMs: exportStallMs,
    onEnd: ({ error, ...outcome }) => {
      letGo()
      releaseSlot()
      const fields = { request: id, ...outcome }
      if (error === undefined) log.info("export ended", fields)
      else log.error("export ended", { ...fields, ...describeError(error) })
    },
  })
  const headers = exportHeaders(found.total, shown, query)
  return new Response(stream, { headers: { ...headers, ...coder.headers } })
}

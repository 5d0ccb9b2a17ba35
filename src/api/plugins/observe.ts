/**
 * Records each request when its response is ready: a log line, metrics, and a row for its account. Fields have
 * OpenTelemetry's names (semantic conventions for HTTP), or begin with `mds.`.
 */
import type { RecentRequests } from "../../accounts/access/recent-requests.ts"
import { type Log, withoutTokens } from "../../system/log/log.ts"
import type { UnauthenticatedRequests } from "../../system/log/unauthenticated-requests.ts"
import type { RequestMetrics } from "../../system/metrics/requests.ts"
import {
  decodeComponent,
  decodeQuery,
  encodeQuery,
  splitUrl,
  withoutNeedlessEscapes,
} from "../http/query-string.ts"
import { contextOf, type RequestContext } from "./request-context.ts"

export interface ObserveOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
  recentRequests: Pick<RecentRequests, "record">
  requestMetrics: Pick<RequestMetrics, "begin" | "end" | "observe">
  now: () => Date
}

/** Calls `respond` once and returns its response. */
export type Observe = (
  request: Request,
  respond: () => Response | Promise<Response>,
) => Promise<Response>

export const observe = (options: ObserveOptions): Observe => {
  const { requestMetrics } = options
  const record = createRecord(options)

  return async (request, respond) => {
    requestMetrics.begin()
    try {
      const response = await respond()
      record(contextOf(request), request, response)
      return response
    } catch (error) {
      // The app handles its own errors, so this error comes from the framework. The server responds.
      const context = contextOf(request)
      context.errorCode = "INTERNAL"
      record(context, request, new Response(null, { status: 500 }))
      throw error
    } finally {
      contextOf(request).end()
      requestMetrics.end()
    }
  }
}

function createRecord(options: ObserveOptions) {
  const { log, unauthenticated, recentRequests, requestMetrics, now } = options

  return (context: RequestContext, request: Request, response: Response): void => {
    const { id, accountId, tokenId, errorCode } = context
    const { method, url } = request
    const { status, headers } = response
    const route = routePattern(context.route)
    const bytes = bytesOf(method, response)
    const elapsedMs = performance.now() - context.startedMs
    const isHidden = route !== undefined && probes.has(route)
    if (!isHidden) {
      const seconds = elapsedMs / 1_000
      requestMetrics.observe({ method, route, status, seconds, bytes, errorCode })
    }
    const isLogged = isHidden || accountId !== 0 || unauthenticated.count(status)
    if (!isLogged) return
    const ms = Math.round(elapsedMs * 10) / 10
    const target = loggedTarget(url)
    // The log omits undefined fields.
    log[isHidden ? "debug" : "info"]("request", {
      "mds.request_id": id,
      "http.request.method": method,
      "http.route": route,
      "url.path": target.path,
      "url.query": target.query || undefined,
      "http.response.status_code": status,
      "http.response.body.size": bytes,
      "mds.release": numberOf(headers.get("x-data-release")),
      "mds.cache": cacheResult(status, headers.get("cache-status")),
      "client.address": context.address,
      "mds.account": accountId || undefined,
      "error.type": errorCode || undefined,
      duration_ms: ms,
    })
    if (!context.isListed) return
    recentRequests.record(accountId, {
      requestId: id,
      tokenId,
      atMs: now().getTime() - ms,
      method,
      target: targetText(target),
      status,
      ms,
    })
  }
}

/** Probes and scrapers request these so often that their lines would drown the others. */
const probes = new Set(["/livez", "/readyz", "/metrics"])

/** Returns the pattern of a route; undefined for the route of unknown paths. */
const routePattern = (route: string | undefined): string | undefined =>
  route === undefined || route.endsWith("/*")
    ? undefined
    : route.length > 1 && route.endsWith("/")
      ? route.slice(0, -1)
      : route

/** Returns the size of the body. A stream has none: the log line of the export's end has it. */
function bytesOf(method: string, { status, headers }: Response): number | undefined {
  const isBodiless = method === "HEAD" || status === 204 || status === 304
  return isBodiless ? 0 : numberOf(headers.get("content-length"))
}

const numberOf = (header: string | null): number | undefined =>
  header === null ? undefined : Number(header)

/** Returns the last word of `Cache-Status`; `revalidated` if the client's own copy was current. */
const cacheResult = (status: number, header: string | null): string | undefined =>
  status === 304 ? "revalidated" : header?.match(/\w+$/)?.[0]

/** The logged length of a path and of a query, in characters. */
const loggedLength = 500

/** A part of a string keeps the whole in memory, so the parts of a longer URL are copied. */
const keptWhole = 1_000

interface LoggedTarget {
  path: string
  query: string
}

const targetText = ({ path, query }: LoggedTarget): string =>
  query === "" ? path : `${path}?${query}`

/** Parameters whose values are secrets: tokens, and one-time links for signing in. */
const unloggedParameters = ["api_key", "link"]

/** Returns the path and the query of a URL for the log and the recent requests: cut, and without secrets. */
function loggedTarget(url: string): LoggedTarget {
  const { path, query } = withoutParameters(url)
  const copied = (text: string) => (url.length > keptWhole ? Buffer.from(text).toString() : text)
  // A client may send a token under a wrong name.
  return { path: withoutTokens(copied(path)), query: withoutTokens(copied(query)) }
}

/** Matches text without escapes, which can conceal the name of a parameter. */
const unescaped = /^[\w./&=~-]*$/

function withoutParameters(url: string): LoggedTarget {
  const { path, query } = splitUrl(url)
  const isShown = !unloggedParameters.some((name) => query.includes(name))
  if (isShown && unescaped.test(path) && unescaped.test(query)) {
    return { path: path.slice(0, loggedLength), query: query.slice(0, loggedLength) }
  }
  const shown = decodeQuery(query).filter(([name]) => !unloggedParameters.includes(name))
  const cut = (text: string) => withoutNeedlessEscapes(text).slice(0, loggedLength)
  return {
    path: cut(decodeComponent(path) ?? path),
    query: cut(encodeQuery(shown)),
  }
}

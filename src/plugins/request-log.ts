/**
 * What is recorded of each request once it is answered: a line of the log, the end of its span, and a
 * row for its account. Fields have OpenTelemetry's names (semantic conventions for HTTP); those that it
 * has no name for begin with `mds.`.
 */
import { Elysia } from "elysia"
import type { RecentRequests } from "../access/recent-requests.ts"
import type { Log } from "../log/log.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import type { RequestMetrics } from "../metrics/requests.ts"
import { endTrace, isTracing, traceIds, traceRequest } from "../telemetry/steps.ts"
import { aroundRequest } from "./around-request.ts"
import { loggedTarget, targetText } from "./logged-target.ts"
import { isOfProbe } from "./probes.ts"
import { contextFields } from "./request-context.ts"
import { type SentResponse, sentResponse, unsent } from "./sent-response.ts"

export interface RequestLogOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
  recentRequests: Pick<RecentRequests, "record">
  requestMetrics: Pick<RequestMetrics, "begin" | "end" | "observe">
  now: () => Date
}

export const requestLog = (options: RequestLogOptions) => {
  const { log, unauthenticated, recentRequests, requestMetrics, now } = options
  const sent = new WeakMap<Request, SentResponse>()
  return new Elysia({ name: "request-log" })
    .use(contextFields())
    .wrap(
      aroundRequest((request, handle) => {
        requestMetrics.begin()
        const isTraced = isTracing() && !isOfProbe(new URL(request.url).pathname)
        const respond = () => (isTraced ? traceRequest(request, handle) : handle())
        const record = (response: Response): Response => {
          requestMetrics.end()
          sent.set(request, sentResponse(request, response))
          return response
        }
        const fail = (error: unknown): never => {
          requestMetrics.end()
          throw error
        }
        try {
          const response = respond()
          return response instanceof Promise ? response.then(record, fail) : record(response)
        } catch (error) {
          return fail(error)
        }
      }),
    )
    .onAfterResponse(
      { as: "global" },
      ({
        request,
        path,
        route,
        requestId,
        startedMs,
        address,
        accountId,
        tokenId,
        isListed,
        errorCode,
      }) => {
        const { status, bytes, release, cache } = sent.get(request) ?? unsent
        const isProbe = isOfProbe(path)
        const elapsedMs = performance.now() - startedMs
        const { method, url } = request
        const pattern = routePattern(route)
        if (!isProbe) {
          const seconds = elapsedMs / 1_000
          requestMetrics.observe({ method, route: pattern, status, seconds, bytes, errorCode })
        }
        const isLogged = isProbe || accountId !== 0 || unauthenticated.count(status)
        const trace = traceIds()
        if (!isLogged && trace === undefined) return
        const ms = Math.round(elapsedMs * 10) / 10
        const target = loggedTarget(url)
        // What is undefined is left out.
        const fields = {
          "mds.request_id": requestId,
          "http.request.method": method,
          "http.route": pattern,
          "url.path": target.path,
          "url.query": target.query || undefined,
          "http.response.status_code": status,
          "http.response.body.size": bytes,
          "mds.release": release,
          "mds.cache": cache,
          "client.address": address,
          "mds.account": accountId || undefined,
        }
        if (isLogged) {
          const error = errorCode || undefined
          const line = { ...trace, ...fields, "error.type": error, duration_ms: ms }
          log[isProbe ? "debug" : "info"]("request", line)
        }
        endTrace({
          name: pattern === undefined ? method : `${method} ${pattern}`,
          status,
          errorCode,
          attributes: { ...fields, "url.scheme": url.slice(0, url.indexOf(":")) },
        })
        if (!isListed) return
        recentRequests.record(accountId, {
          requestId,
          tokenId,
          atMs: now().getTime() - ms,
          method,
          target: targetText(target),
          status,
          ms,
        })
      },
    )
}

/** The pattern of a route; undefined where a path has none of its own. */
const routePattern = (route: string | undefined): string | undefined =>
  route === undefined || route.endsWith("/*") ? undefined : route.replace(/(?<=.)\/$/, "")

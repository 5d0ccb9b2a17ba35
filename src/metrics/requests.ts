/**
 * Requests by their routes and statuses. An observation finds its series by two look-ups in maps, without
 * making a text for them. The number of series is bounded: routes are the patterns of the service, and
 * what has none, and unknown methods, are one each.
 */
import { errorTable } from "../http/api-error.ts"
import { routePattern } from "../http/route-pattern.ts"
import { createHistogram, type Histogram } from "../telemetry/histogram.ts"
import { byName, type Collector, familyOf, gauge } from "./families.ts"

export interface ObservedRequest {
  method: string
  /** As the framework names it; undefined where none matched. */
  route: string | undefined
  status: number
  seconds: number
  /** Of the response's body; undefined for a stream. */
  bytes: number | undefined
  /** The code of its error; empty without one. */
  errorCode: string
}

export interface RequestMetrics {
  /** A request begins. */
  begin(): void
  /** Its response was handed over. */
  end(): void
  observe(request: ObservedRequest): void
  collect: Collector
}

interface Series {
  method: string
  pattern: string
  status: number
  seconds: Histogram
  bytes: Histogram
}

/** Of the service's responses, which are of a few kilobytes mostly. */
const byteBounds = [100, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000]

export const requestSecondBounds = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]

/** OpenTelemetry's list; what is not in it is `_OTHER`. */
const methods = "_OTHER GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split(" ")
const methodNumbers = new Map(methods.map((method, number) => [method, number]))

export function createRequestMetrics(): RequestMetrics {
  let active = 0
  const all: Series[] = []
  const ofPattern = new Map<string, Map<number, Series>>()
  /** Several routes may have one pattern. */
  const ofRoute = new Map<string | undefined, Map<number, Series>>()
  const errors = new Map(Object.keys(errorTable).map((code) => [code, 0]))

  function addRoute(route: string | undefined): Map<number, Series> {
    const pattern = routePattern(route) ?? "_OTHER"
    const found = ofPattern.get(pattern) ?? new Map<number, Series>()
    ofPattern.set(pattern, found)
    ofRoute.set(route, found)
    return found
  }

  function addSeries(route: string | undefined, method: number, status: number): Series {
    const series = {
      method: methods[method] ?? "_OTHER",
      pattern: routePattern(route) ?? "_OTHER",
      status,
      seconds: createHistogram(requestSecondBounds),
      bytes: createHistogram(byteBounds),
    }
    all.push(series)
    return series
  }

  return {
    begin: () => {
      active++
    },
    end: () => {
      active--
    },

    observe: ({ method, route, status, seconds, bytes, errorCode }) => {
      const statuses = ofRoute.get(route) ?? addRoute(route)
      const number = methodNumbers.get(method) ?? 0
      const key = number * 1_000 + status
      let series = statuses.get(key)
      if (!series) {
        series = addSeries(route, number, status)
        statuses.set(key, series)
      }
      series.seconds.observe(seconds)
      if (bytes !== undefined) series.bytes.observe(bytes)
      if (errorCode !== "") errors.set(errorCode, (errors.get(errorCode) ?? 0) + 1)
    },

    collect: () => {
      const series = familyOf(all, ({ method, pattern, status }) => ({
        http_request_method: method,
        http_route: pattern,
        http_response_status_code: String(status),
      }))
      return [
        series(
          "histogram",
          "http_server_request_duration_seconds",
          "Time from a request's arrival until its response was handed over, in seconds",
          ({ seconds }) => seconds.read(),
        ),
        series(
          "histogram",
          "http_server_response_body_size_bytes",
          "Size of response bodies as they were sent, in bytes, without exports",
          ({ bytes }) => bytes.read(),
        ),
        gauge("http_server_active_requests", "Requests that are being answered", active),
        byName("error_type", Object.fromEntries(errors))(
          "counter",
          "mds_errors_total",
          "Errors that requests were answered with, by their code",
        ),
      ]
    },
  }
}

/**
 * Requests by route and status. The number of series is bounded: routes are the patterns of the service, and
 * all requests without a pattern share one series, as do unknown methods.
 */
import { errorTable } from "../../api/http/api-error.ts"
import { byName, counter, gauge, histogram, type MetricFamily } from "./families.ts"
import { createHistogram, type Histogram, secondBounds } from "./histogram.ts"

export interface ObservedRequest {
  method: string
  /** The pattern of the route; undefined if none matched. */
  route: string | undefined
  status: number
  seconds: number
  /** The size of the response's body; undefined for a stream. */
  bytes: number | undefined
  /** The code of the error; empty without an error. */
  errorCode: string
}

export type RequestMetrics = ReturnType<typeof createRequestMetrics>

type Series = ReturnType<typeof newSeries>

/** Fits the service's responses: most have a few kilobytes. */
const byteBounds = [100, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 100_000, 1_000_000]

/** OpenTelemetry's list. */
const methods = new Set("GET HEAD POST PUT DELETE CONNECT OPTIONS TRACE PATCH".split(" "))

const newSeries = (method: string, route: string, status: number) => ({
  labels: {
    http_request_method: method,
    http_route: route,
    http_response_status_code: String(status),
  },
  seconds: createHistogram(secondBounds),
  bytes: createHistogram(byteBounds),
})

export function createRequestMetrics() {
  let active = 0
  const all = new Map<string, Series>()
  const errors = Object.fromEntries(Object.keys(errorTable).map((code) => [code, 0]))

  return {
    /** A request begins. */
    begin: () => {
      active++
    },
    /** The server has the response. */
    end: () => {
      active--
    },

    observe: (request: ObservedRequest): void => {
      const { method: sent, route = "_OTHER", status, seconds, bytes, errorCode } = request
      const method = methods.has(sent) ? sent : "_OTHER"
      const key = `${method} ${status} ${route}`
      const series = all.get(key) ?? newSeries(method, route, status)
      all.set(key, series)
      series.seconds.observe(seconds)
      if (bytes !== undefined) series.bytes.observe(bytes)
      if (errorCode !== "") errors[errorCode] = (errors[errorCode] ?? 0) + 1
    },

    collect: (): MetricFamily[] => {
      const each = (read: (series: Series) => Histogram) =>
        [...all.values()].map((series) => ({ labels: series.labels, value: read(series).read() }))
      return [
        histogram(
          "http_server_request_duration_seconds",
          "Time from a request's arrival to its response, in seconds",
          each(({ seconds }) => seconds),
        ),
        histogram(
          "http_server_response_body_size_bytes",
          "Size of response bodies as they were sent, in bytes, without exports",
          each(({ bytes }) => bytes),
        ),
        gauge("http_server_active_requests", "Requests in progress", active),
        counter(
          "mds_errors_total",
          "Error responses, by their code",
          byName("error_type", errors, (count) => count),
        ),
      ]
    },
  }
}

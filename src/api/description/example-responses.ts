/** The responses to the examples, made by the code of the service from the records of the examples. */

import { hourMs } from "../../system/text/time.ts"
import { ApiError, type ErrorCode, invalidParameters, rateLimited } from "../http/api-error.ts"
import type { Format } from "../http/formats.ts"
import { pageMeta } from "../http/page.ts"
import type { ParameterValues } from "../http/parameters.ts"
import { toHeaders, toResetSeconds } from "../http/rate-limit-headers.ts"
import { responseHeaders } from "../http/response-headers.ts"
import { askList, askRecord, type ListQuestion } from "../responses/question.ts"
import { cacheStatus, validatorsOf } from "../responses/represent.ts"
import { pageContent, pageText, recordText } from "../responses/writers.ts"
import {
  exampleKey,
  exampleNow,
  exampleRecord,
  exampleRelease,
  exampleTag,
  exampleUsage,
} from "./examples.ts"
import { keyedBy, type Operation } from "./operations.ts"

/** A request and its response. */
export interface Example {
  /** The request line: `GET /companies?format=csv`. */
  request: string
  /** The value of JSON and GeoJSON, the text of other formats. */
  body: unknown
}

const resetAtMs = exampleNow.getTime() + hourMs
const limit = 1_000
const perPage = 50

/** The key in the path of the operation's example; empty for a path without one. */
function keyOf({ endpoint }: Operation): string {
  const owner = keyedBy(endpoint)
  return owner ? exampleKey(owner) : ""
}

/** The response to the operation without any parameter but the format. */
export function exampleOf(operation: Operation, format: Format): Example {
  const query = format === "json" ? "" : `?format=${format}`
  return {
    request: `GET ${operation.path.replace(/\{\w+\}/, keyOf(operation))}${query}`,
    body: bodyOf(operation, format),
  }
}

function bodyOf(operation: Operation, format: Format): unknown {
  const { endpoint } = operation
  if (endpoint.kind === "object") return { data: exampleUsage }
  const record = exampleRecord(endpoint.resource)
  const page = { records: [record], meta: pageMeta(1, 1, perPage) }
  const text =
    endpoint.kind === "record"
      ? recordText(askRecord(endpoint, chosen(format), keyOf(operation)), record)
      : pageText(questionOf(operation, format), validatorsOf(exampleRelease, format), page, "")
  return format === "json" || format === "geojson" ? JSON.parse(text) : text
}

const chosen = (format: Format): ParameterValues => (format === "json" ? {} : { format })

function questionOf(operation: Operation, format: Format): ListQuestion {
  const { path, endpoint } = operation
  if (endpoint.kind !== "list") throw new Error(`Not a list: ${path}`)
  return askList(endpoint, chosen(format), keyOf(operation))
}

/** An example of each header: those of the list of companies, and those that only errors have. */
export function headerExamples(companies: Operation, baseUrl: string) {
  const page = { records: [], meta: pageMeta(1, 1, perPage) }
  const validators = { ...validatorsOf(exampleRelease, ""), ETag: exampleTag }
  const headersOf = (format: Format) =>
    pageContent(questionOf(companies, format), validators, page, baseUrl).headers
  const window = { admitted: true, limit, remaining: limit - 1, resetAtMs }
  const examples = new Headers({
    "Content-Disposition": headersOf("csv").get("Content-Disposition") ?? "",
    ...toHeaders(window, exampleNow.getTime()),
    "Cache-Status": cacheStatus.miss,
    "X-Request-Id": "3f0b5a52-6f0e-4c83-9c5b-2f7f1f6f4a0e",
    "WWW-Authenticate": 'Bearer realm="mds", error="invalid_token"',
    "Retry-After": "5",
  })
  for (const [name, value] of headersOf("json")) examples.set(name, value)
  return Object.fromEntries(
    Object.keys(responseHeaders).map((name) => [name, examples.get(name) ?? ""]),
  )
}

/** The cause of each error. */
const errorRequests: Readonly<Record<ErrorCode, string>> = {
  INVALID_PARAMETER: "GET /companies?per_page=500&sort=size",
  UNAUTHORIZED: "GET /companies with an invalid token",
  NOT_FOUND: "GET /companies/NONE",
  METHOD_NOT_ALLOWED: "POST /companies",
  RATE_LIMITED: "GET /companies after 1000 requests in an hour",
  INTERNAL: "GET /companies when the service has a fault",
  UNAVAILABLE: "GET /companies while the database cannot be reached",
}

export const errorExample = (code: ErrorCode): Example => ({
  request: errorRequests[code],
  body: (detailedErrors[code] ?? new ApiError(code)).body(),
})

const orders = ["name", "market_cap", "asx_code", "total_tenements"]
const detailedErrors: Readonly<Partial<Record<ErrorCode, ApiError>>> = {
  RATE_LIMITED: rateLimited(toResetSeconds(resetAtMs)),
  INVALID_PARAMETER: invalidParameters([
    { parameter: "per_page", message: "Must be an integer from 1 to 100" },
    { parameter: "sort", message: `Must be one of ${orders.join(", ")}`, allowed: orders },
  ]),
}

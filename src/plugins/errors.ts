/**
 * Turns whatever is thrown into the error envelope. The caller learns a code and, for its own
 * mistakes, what they were; the log learns the rest, under the request's id.
 */
import { Elysia } from "elysia"
import { Unavailable } from "../db/pool/unavailable.ts"
import { ApiError } from "../http/api-error.ts"
import { describeError, type Log } from "../log/log.ts"
import { exchangeOf } from "./exchange.ts"

const retryAfterSeconds = 5

export const errors = ({ log }: { log: Log }) =>
  new Elysia({ name: "errors" }).onError({ as: "global" }, ({ error, code, request }) => {
    const answer = code === "NOT_FOUND" ? new ApiError("NOT_FOUND") : toApiError(error)
    if (answer.status >= 500) {
      log.error("request failed", { request: exchangeOf(request).id, ...describeError(error) })
    }
    return errorResponse(answer)
  })

/** One table from what can go wrong inside to what a caller is told. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof Unavailable) {
    return new ApiError("UNAVAILABLE", {
      headers: { "Retry-After": String(retryAfterSeconds) },
      cause: error,
    })
  }
  return new ApiError("INTERNAL", { cause: error })
}

export const errorResponse = (error: ApiError): Response =>
  new Response(JSON.stringify(error.body()), {
    status: error.status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...error.options.headers,
    },
  })

/**
 * Turns every thrown error into the error envelope. The response has a code and, for faults of the
 * request, what they are; the log has the rest, under the request's id.
 */
import { Elysia } from "elysia"
import { Unavailable } from "../db/pool/unavailable.ts"
import { ReleaseUnavailable } from "../db/reader/releases.ts"
import { ApiError } from "../http/api-error.ts"
import { describeError, type Log } from "../log/log.ts"
import type { UnauthenticatedRequests } from "../log/unauthenticated-requests.ts"
import { contextFields } from "./request-context.ts"

const retryAfterSeconds = 5

export interface ErrorOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
}

export const errors = ({ log, unauthenticated }: ErrorOptions) =>
  new Elysia({ name: "errors" })
    .use(contextFields())
    .onError({ as: "global" }, ({ error, code, requestId, accountId, set }) => {
      const shown = code === "NOT_FOUND" ? new ApiError("NOT_FOUND") : toApiError(error)
      if (shown.status >= 500 && (accountId !== 0 || unauthenticated.mayLog())) {
        log.error("request failed", { request: requestId, ...describeError(error) })
      }
      set.status = shown.status
      return errorResponse(shown)
    })

/** Maps internal errors to those of the API. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // The release disappeared while its response was prepared; the next attempt shows another one.
  if (error instanceof Unavailable || error instanceof ReleaseUnavailable) {
    return unavailable(error)
  }
  return new ApiError("INTERNAL", { cause: error })
}

/** @param cause for the log */
export const unavailable = (cause?: unknown): ApiError =>
  new ApiError("UNAVAILABLE", { headers: { "Retry-After": String(retryAfterSeconds) }, cause })

export const errorResponse = (error: ApiError): Response =>
  new Response(JSON.stringify(error.body()), {
    status: error.status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...error.options.headers,
    },
  })

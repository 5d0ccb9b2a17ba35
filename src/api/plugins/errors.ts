/**
 * Converts every thrown error to the error envelope. The response has a code and the faults of the request;
 * the log has the cause, under the request's id.
 */
import { Elysia } from "elysia"
import { Overloaded, Unavailable } from "../../data/db/pool/unavailable.ts"
import { ReleaseUnavailable } from "../../data/reader/releases.ts"
import { describeError, type Log } from "../../system/log/log.ts"
import type { UnauthenticatedRequests } from "../../system/log/unauthenticated-requests.ts"
import { ApiError } from "../http/api-error.ts"
import { commonHeaders, contextOf, type RequestContext } from "./request-context.ts"

const retryAfterSeconds = 5

/** The status for the log of a request whose client has left, as in the logs of proxies: nobody receives it. */
const clientClosedRequest = 499

export interface ErrorOptions {
  log: Log
  unauthenticated: UnauthenticatedRequests
}

/** Makes the page that shows an error to a person; undefined for programs. */
export type ErrorPage = (
  error: unknown,
  failed: { request: Request; context: RequestContext },
) => Promise<Response> | undefined

export const errors = (options: ErrorOptions, errorPage: ErrorPage) =>
  new Elysia({ name: "errors" }).onError(
    { as: "global" },
    async ({ error, code, request, set }) => {
      if (isLeaving(request, error)) return new Response(null, { status: clientClosedRequest })
      const context = contextOf(request)
      const thrown = code === "NOT_FOUND" ? new ApiError("NOT_FOUND") : error
      const page = await errorPage(thrown, { request, context })?.catch((failure: unknown) =>
        logFailure(options, context, "page failed", failure),
      )
      const apiError = toApiError(thrown)
      const response = page ?? errorResponse(apiError, commonHeaders(context))
      // A page may have another status, such as a redirect to the sign-in page.
      if (response.status === apiError.status) context.errorCode = apiError.code
      if (response.status >= 500) logFailure(options, context, "request failed", error)
      set.status = response.status
      return response
    },
  )

/** Whether the error is that the client left before its response began. */
const isLeaving = ({ signal }: Request, error: unknown): boolean =>
  signal.aborted && error instanceof Error && error.name === "AbortError"

/** Logs a failure of the service. An overload is the account's own: the line of its request shows it. */
export function logFailure(
  { log, unauthenticated }: ErrorOptions,
  { id, accountId }: RequestContext,
  event: string,
  failure: unknown,
): void {
  if (failure instanceof Overloaded) return
  if (accountId !== 0 || unauthenticated.mayLog()) {
    log.error(event, { "mds.request_id": id, ...describeError(failure) })
  }
}

/** Maps internal errors to those of the API. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  // The release was pruned while the response was prepared; a retry shows another release.
  if (error instanceof Unavailable || error instanceof ReleaseUnavailable) {
    return unavailable(error)
  }
  return new ApiError("INTERNAL", { cause: error })
}

/** @param cause for the log */
export const unavailable = (cause?: unknown): ApiError =>
  new ApiError("UNAVAILABLE", { headers: { "Retry-After": String(retryAfterSeconds) }, cause })

/** @param common the headers of the response for any error */
export function errorResponse(
  error: ApiError,
  common: Readonly<Record<string, string>> = {},
): Response {
  const body = JSON.stringify(error.body())
  return new Response(body, {
    status: error.status,
    headers: {
      ...common,
      "Content-Type": "application/json",
      "Content-Length": String(Buffer.byteLength(body)),
      "Cache-Control": "no-store",
      ...error.options.headers,
    },
  })
}

/**
 * What the client asks for: the method, the query, and the formats that it accepts. Between the limit and the
 * routes, so that an error of the request counts in the window.
 */
import { Elysia } from "elysia"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { acceptedFormats } from "../http/negotiation.ts"
import { decodeComponent, splitUrl } from "../http/query-string.ts"
import type { DataRequest, Sent } from "../responses/data-request.ts"
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts"
import { contextOf, liftIdleTimeout } from "./request-context.ts"

export const allowedMethods = "GET, HEAD, OPTIONS"

/**
 * Gives `asked`: the query, and the formats that it accepts, of `format` or else `Accept`. The endpoint chooses one
 * that it offers, and checks the query (`askSentList`). A single record ignores `Accept`.
 * @throws ApiError METHOD_NOT_ALLOWED; INVALID_PARAMETER for a path that cannot be decoded
 */
export const dataRequest = (options: RateLimitOptions) =>
  new Elysia({ name: "data-request" })
    .use(rateLimit(options))
    .resolve(({ request, server, caller, isCallerValid, query: { format } }) => {
      const { id, headers } = contextOf(request)
      const asked: DataRequest & Sent = {
        query: queryOf(request),
        accepted: acceptedFormats(format, request.headers.get("accept")),
        request,
        requestId: id,
        headers,
        account: caller.accountId,
        sequenceOwner: `token ${caller.tokenId}`,
        isCallerValid,
        liftIdleTimeout: () => liftIdleTimeout(server, request),
      }
      return { asked }
    })
    .as("scoped")

/** Returns the query of a GET or HEAD. @throws ApiError METHOD_NOT_ALLOWED, INVALID_PARAMETER */
export function queryOf({ method, url }: Request): string {
  if (method !== "GET" && method !== "HEAD") {
    throw new ApiError("METHOD_NOT_ALLOWED", { headers: { Allow: allowedMethods } })
  }
  const { path, query } = splitUrl(url)
  if (!isDecodable(path)) {
    throw invalidParameters([{ parameter: "path", message: "Is not valid UTF-8" }])
  }
  return query
}

/**
 * Rejects a path outside of the API that cannot be decoded: Elysia would pass `null` to the route. The API
 * checks the token and the limit before the path.
 * @throws ApiError NOT_FOUND
 */
export const decodablePath = () =>
  new Elysia({ name: "decodable-path" }).onRequest(({ request }) => {
    if (!contextOf(request).isApi && !isDecodable(splitUrl(request.url).path)) {
      throw new ApiError("NOT_FOUND")
    }
  })

const isDecodable = (path: string): boolean => !path.includes("%") || decodeComponent(path) !== null

/** Checks the method and the request target (RFC 9112, 3.2) before the parameters. */
import { Elysia } from "elysia"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { decodeComponent, splitUrl } from "../http/query-string.ts"
import type { Target } from "../responses/data-request.ts"
import { contextOf } from "./request-context.ts"

export const allowedMethods = "GET, HEAD, OPTIONS"

/** Gives `target`. @throws ApiError METHOD_NOT_ALLOWED, INVALID_PARAMETER */
export const requestTarget = () =>
  new Elysia({ name: "request-target" })
    .resolve(({ request }) => ({ target: targetOf(request) }))
    .as("scoped")

/** @throws ApiError METHOD_NOT_ALLOWED, INVALID_PARAMETER */
export function targetOf({ method, url, headers }: Request): Target {
  if (method !== "GET" && method !== "HEAD") {
    throw new ApiError("METHOD_NOT_ALLOWED", { headers: { Allow: allowedMethods } })
  }
  const { path, query } = splitUrl(url)
  if (!isDecodable(path)) {
    throw invalidParameters([{ parameter: "path", message: "Is not valid UTF-8" }])
  }
  return { query, accept: headers.get("accept") }
}

/**
 * Rejects a path outside of the API that cannot be decoded: Elysia would pass `null` to the route. The API
 * checks the token and the limit before the target.
 * @throws ApiError NOT_FOUND
 */
export const decodablePath = () =>
  new Elysia({ name: "decodable-path" }).onRequest(({ request }) => {
    if (!contextOf(request).isApi && !isDecodable(splitUrl(request.url).path)) {
      throw new ApiError("NOT_FOUND")
    }
  })

const isDecodable = (path: string): boolean => !path.includes("%") || decodeComponent(path) !== null

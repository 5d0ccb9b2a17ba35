/** The method and the request target (RFC 9112, 3.2), checked before parameters are. */
import { Elysia } from "elysia"
import { ApiError, invalidParameters } from "../http/api-error.ts"
import { decodeComponent, splitTarget } from "../http/query-string.ts"
import { allowedMethods } from "./common-headers.ts"

/** Gives `target`, the path and query as they were sent. @throws ApiError METHOD_NOT_ALLOWED, INVALID_PARAMETER */
export const requestTarget = () =>
  new Elysia({ name: "request-target" })
    .resolve(({ request }) => {
      if (request.method !== "GET" && request.method !== "HEAD") {
        throw new ApiError("METHOD_NOT_ALLOWED", { headers: { Allow: allowedMethods } })
      }
      const { pathname, search } = new URL(request.url)
      const { path, query } = splitTarget(pathname + search)
      if (decodeComponent(path) === null) {
        throw invalidParameters([{ parameter: "path", message: "Is not valid UTF-8" }])
      }
      return { target: { path, query } }
    })
    .as("scoped")

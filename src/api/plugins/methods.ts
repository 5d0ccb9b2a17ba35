/** Methods: OPTIONS, and 405 for those that a path lacks. */
import { Elysia } from "elysia"
import { ApiError } from "../http/api-error.ts"
import { apiHeaders } from "../http/response-headers.ts"
import { allowedMethods } from "./data-request.ts"
import { contextOf } from "./request-context.ts"

/** Responds to OPTIONS without a token and without counting it (CORS: any origin, no credentials). */
export const preflight = () =>
  new Elysia({ name: "preflight" })
    .options("/", ({ request }) => preflightResponse(request))
    .options("/*", ({ request }) => preflightResponse(request))

export const preflightResponse = (request: Request) =>
  new Response(null, {
    status: 204,
    headers: {
      ...apiHeaders,
      ...contextOf(request).headers,
      Allow: allowedMethods,
      "Access-Control-Allow-Methods": allowedMethods,
      "Access-Control-Allow-Headers": "Authorization, Accept, If-None-Match",
      "Access-Control-Max-Age": "86400",
    },
  })

interface Route {
  method: string
  path: string
}

/**
 * Returns 405 for a path that has routes, but none for the method, with the allowed methods (RFC 9110,
 * 15.5.6). Other paths stay unknown.
 * @param routes outside of the API, where `dataRequest` checks the method
 */
export function otherMethods(routes: readonly Route[]) {
  const app = new Elysia({ name: "other-methods" })
  const paths = Map.groupBy(routes, ({ path }) => path)
  for (const [path, ofPath] of paths) {
    const allow = allowed(ofPath.map(({ method }) => method))
    app.all(path, () => {
      throw new ApiError("METHOD_NOT_ALLOWED", { headers: { Allow: allow } })
    })
  }
  return app
}

const allowed = (methods: readonly string[]): string =>
  methods
    .flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]))
    .toSorted()
    .join(", ")

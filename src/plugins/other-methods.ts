/**
 * Returns 405 for a path that has routes, but none for the method, with the allowed methods (RFC 9110,
 * 15.5.6). Other paths stay unknown.
 */
import { Elysia } from "elysia"
import { ApiError } from "../http/api-error.ts"

interface Route {
  method: string
  path: string
}

/** @param routes outside of the API, where `requestTarget` checks the method */
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

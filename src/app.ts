/** The way of a request, from top to bottom. The server records each request (`plugins/observe.ts`). */
import { Elysia } from "elysia"
import { ApiError } from "./api/http/api-error.ts"
import { mcp } from "./api/mcp/mcp.ts"
import type { McpOptions } from "./api/mcp/respond.ts"
import { authentication } from "./api/plugins/authentication.ts"
import { dataRequest, decodablePath } from "./api/plugins/data-request.ts"
import { errors } from "./api/plugins/errors.ts"
import { otherMethods, preflight } from "./api/plugins/methods.ts"
import type { ObserveOptions } from "./api/plugins/observe.ts"
import { rateLimit } from "./api/plugins/rate-limit.ts"
import { requestContext } from "./api/plugins/request-context.ts"
import { companyRoutes } from "./api/routes/companies.ts"
import type { DataOptions } from "./api/routes/data.ts"
import { describeOnce, description } from "./api/routes/description.ts"
import { endpoints } from "./api/routes/endpoints.ts"
import { facetRoutes } from "./api/routes/facets.ts"
import { type OperationOptions, operations } from "./api/routes/probes.ts"
import { releaseRoutes } from "./api/routes/releases.ts"
import { reportRoutes } from "./api/routes/reports.ts"
import { tenementRoutes } from "./api/routes/tenements.ts"
import { usage } from "./api/routes/usage.ts"
import { errorPage } from "./web/pages/kit/error-page.ts"
import { type PagesOptions, pages } from "./web/pages/pages.ts"

export type AppOptions = DataOptions &
  OperationOptions &
  PagesOptions &
  ObserveOptions &
  McpOptions & { trustedProxies: number }

/**
 * Builds the app. A route of the group runs after all plugins above it. Route groups use the plugins again for
 * their types; Elysia runs each once, by its name.
 */
export const createApp = (options: AppOptions) => {
  const describe = describeOnce({ endpoints, baseUrl: options.baseUrl })
  const app = new Elysia()
    .use(requestContext(options)) // id, client address, headers of every response
    .use(errors(options, errorPage))
    .use(decodablePath()) // or 404; in the API 400, after the token and the limit
    .use(operations(options)) // no token
    .use(description({ describe })) // no token
    .use(pages(options, describe)) // a session, or none
    .use(mcp(options)) // caller, window, then tools
    .group("/api/v1", (api) =>
      api
        .use(preflight()) // no token
        .use(authentication(options)) // caller, or 401; 429 by address
        .use(usage(options)) // does not count; has a bound of its own
        .use(rateLimit(options)) // window, or 429
        .use(dataRequest(options)) // query and accepted formats, or 405
        .use(companyRoutes(options))
        .use(tenementRoutes(options))
        .use(reportRoutes(options))
        .use(facetRoutes(options))
        .use(releaseRoutes(options)) // and sources
        .all("/", () => notFound())
        .all("/*", () => notFound()),
    )
  const outside = app.routes.filter(({ path }) => !/^\/(?:api\/v1|mcp$)/.test(path))
  return app.use(otherMethods(outside)) // 405
}

/** Builds the app of the operators' port. */
export const createAdminApp = (options: AppOptions) => {
  const app = new Elysia()
    .use(requestContext(options))
    .use(errors(options, () => undefined))
    .use(decodablePath())
    .use(operations(options, () => true))
  return app.use(otherMethods(app.routes))
}

const notFound = (): never => {
  throw new ApiError("NOT_FOUND")
}

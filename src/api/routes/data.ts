/** The routes of the data: one for each endpoint with lists or records. */
import { Elysia } from "elysia"
import { type RateLimitOptions, rateLimit } from "../plugins/rate-limit.ts"
import { contextOf, liftIdleTimeout } from "../plugins/request-context.ts"
import { requestTarget } from "../plugins/target.ts"
import type { PlanOf } from "../responses/plan.ts"
import type { Responses } from "../responses/respond.ts"
import { endpoints } from "./endpoints.ts"

export interface DataOptions extends RateLimitOptions {
  responses: Responses
  planOf: PlanOf
}

export const data = (options: DataOptions) => {
  const { responses, planOf } = options
  const app = new Elysia({ name: "data" }).use(rateLimit(options)).use(requestTarget())
  for (const endpoint of endpoints) {
    if (endpoint.kind === "object") continue
    app.get(endpoint.path, ({ request, server, caller, isCallerValid, target, params }) => {
      const { id: requestId, headers } = contextOf(request)
      // The key of the record or of the list's parent, if the path has one. Elysia's type excludes undefined.
      const [key = ""] = Object.values<string>(params ?? {})
      const dataRequest = {
        request,
        requestId,
        headers,
        account: caller.accountId,
        sequenceOwner: `token ${caller.tokenId}`,
        isCallerValid,
        liftIdleTimeout: () => liftIdleTimeout(server, request),
      }
      return responses.respond(dataRequest, planOf(endpoint, target, key))
    })
  }
  return app
}

/** Gives routes the function that responds with the data of an endpoint. */
import { Elysia } from "elysia"
import type { DataRequest } from "../responses/data-request.ts"
import type { DataEndpoint } from "../responses/endpoint.ts"
import type { planOf } from "../responses/plan.ts"
import type { Responses } from "../responses/respond.ts"
import { exchangeOf, liftIdleTimeout } from "./exchange.ts"
import { type RateLimitOptions, rateLimit } from "./rate-limit.ts"
import { requestTarget } from "./target.ts"

export interface ResponsesOptions extends RateLimitOptions {
  responses: Responses
  planOf: typeof planOf
}

/** Gives `respond`. The only parameter of a path is the key of the record or of the list's parent. */
export const responses = (options: ResponsesOptions) => {
  const { responses, planOf } = options
  return new Elysia({ name: "responses" })
    .use(rateLimit(options))
    .use(requestTarget())
    .resolve(({ request, server, caller, isCallerValid, target, params }) => {
      const exchange = exchangeOf(request)
      const asked: DataRequest = {
        request,
        requestId: exchange.id,
        headers: exchange.headers,
        account: caller.accountId,
        sequenceOwner: `token ${caller.tokenId}`,
        isCallerValid,
        liftIdleTimeout: () => liftIdleTimeout(server, request),
      }
      // `params` is undefined for a path without parameters, although its type excludes that.
      const [key = ""] = Object.values<string>(params ?? {})
      return {
        respond: (endpoint: DataEndpoint) =>
          responses.respond(asked, planOf(endpoint, target, key)),
      }
    })
    .as("scoped")
}

/**
 * Serves the caller's plan, window and requests of the last day. The window does not count these requests.
 */
import { Type } from "@sinclair/typebox"
import { Elysia } from "elysia"
import { plans } from "../../data/db/account-tables.ts"
import { oneOf } from "../../data/resources/values.ts"
import { readParameters } from "../http/parameters.ts"
import { shownCount, toResetSeconds, type WindowState } from "../http/rate-limit-headers.ts"
import { queryOf } from "../plugins/data-request.ts"
import { type RateLimitOptions, uncountedRateLimit } from "../plugins/rate-limit.ts"
import { contextOf } from "../plugins/request-context.ts"
import type { ObjectEndpoint } from "../responses/endpoint.ts"
import { representObject } from "../responses/represent.ts"

const description =
  "The plan of your account, its window and its requests in each of the last 24 hours. Requests for it count in a separate window of the same size."

export const usageOfAccount: ObjectEndpoint = {
  kind: "object",
  path: "/usage",
  name: "usage",
  description,
  parameters: {},
  schema: Type.Object(
    {
      plan: oneOf(plans, { description: "Plan of the account" }),
      limit: Type.Integer({
        minimum: 0,
        description: "Requests that the window allows; 2147483647 means no limit",
      }),
      used: Type.Unsafe<number | null>({
        type: ["integer", "null"],
        minimum: 0,
        description: "Requests that the window counts; unknown without a limit",
      }),
      remaining: Type.Integer({ minimum: 0, description: "Remaining requests in the window" }),
      reset_at: Type.Integer({
        description: "When the oldest counted request leaves the window, in Unix seconds",
      }),
      requests_per_hour: Type.Array(
        Type.Object({
          hour: Type.String({ format: "date-time", description: "Its beginning, in UTC" }),
          requests: Type.Integer({ minimum: 0, description: "Requests that were counted in it" }),
        }),
        { description: "The last 24 hours, oldest first" },
      ),
    },
    { description },
  ),
}

export const usage = (options: RateLimitOptions) =>
  new Elysia({ name: "usage", prefix: "/usage" })
    .use(uncountedRateLimit(options))
    .get("/", async ({ request, caller, window }) => {
      readParameters(queryOf(request), usageOfAccount.parameters)
      const hours = await options.usage.lastDay(caller.accountId, options.now())
      const data = { plan: caller.plan, ...fieldsOf(window), requests_per_hour: hours }
      return representObject(contextOf(request), { data })
    })

/** Without a limit the window records no request, so `used` is unknown. */
const fieldsOf = ({ limit, remaining, resetAtMs }: WindowState) => ({
  limit: shownCount(limit),
  used: Number.isFinite(limit) ? limit - remaining : null,
  remaining: shownCount(remaining),
  reset_at: toResetSeconds(resetAtMs),
})

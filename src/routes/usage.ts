/**
 * The caller's plan, window and recent requests. Requests for them do not count against the window.
 */
import { Elysia } from "elysia"
import type { WindowState } from "../access/window/sliding-window.ts"
import { mediaTypes } from "../http/negotiation.ts"
import { readParameters } from "../http/parameters.ts"
import { shownCount, toResetSeconds } from "../http/rate-limit-headers.ts"
import { type RateLimitOptions, uncountedRateLimit } from "../plugins/rate-limit.ts"
import { requestTarget } from "../plugins/request-target.ts"

export const usage = (options: RateLimitOptions) =>
  new Elysia({ name: "usage", prefix: "/usage" })
    .use(uncountedRateLimit(options))
    .use(requestTarget())
    .get("/", async ({ target, caller, window }) => {
      readParameters(target.query, {})
      const hours = await options.usage.lastDay(caller.accountId, options.now())
      const data = { plan: caller.plan, ...standing(window), requests_per_hour: hours }
      const headers = { "Content-Type": mediaTypes.json, "Cache-Control": "private, no-cache" }
      return new Response(JSON.stringify({ data }), { headers })
    })

/** Without a limit no request is recorded, so how much was used is unknown. */
const standing = ({ limit, remaining, resetAtMs }: WindowState) => ({
  limit: shownCount(limit),
  used: Number.isFinite(limit) ? limit - remaining : null,
  remaining: shownCount(remaining),
  reset_at: toResetSeconds(resetAtMs),
})

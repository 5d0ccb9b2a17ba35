/** Where a caller stands. Asking costs none of its requests. */
import { Elysia } from "elysia"
import type { WindowState } from "../access/window/sliding-window.ts"
import { respond } from "../answers/representation.ts"
import { mediaTypes } from "../http/negotiation.ts"
import { readParameters } from "../http/parameters.ts"
import { shownCount, toResetSeconds } from "../http/rate-limit-headers.ts"
import { type AccessOptions, uncountedAccess } from "../plugins/access.ts"
import { target } from "../plugins/request-target.ts"

export const usageRoutes = (options: AccessOptions) =>
  new Elysia({ name: "usage", prefix: "/usage" })
    .use(uncountedAccess(options))
    .use(target())
    .get("/", async ({ request, target, caller, window }) => {
      readParameters(target.query, {})
      const hours = await options.usage.lastDay(caller.accountId, options.now())
      const data = { plan: caller.plan, ...standing(window), requests_per_hour: hours }
      return respond(
        request,
        { "Content-Type": mediaTypes.json, "Cache-Control": "private, no-cache" },
        JSON.stringify({ data }),
      )
    })

/** Without a limit nothing is logged, so what was used of it is unknown. */
const standing = ({ limit, remaining, resetAtMs }: WindowState) => ({
  limit: shownCount(limit),
  used: Number.isFinite(limit) ? limit - remaining : null,
  remaining: shownCount(remaining),
  reset_at: toResetSeconds(resetAtMs),
})

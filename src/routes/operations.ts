/**
 * For operators: liveness, readiness and metrics. They need no token and count against no window. On the
 * service's own port, what tells of its inside is for clients on this machine alone.
 */
import { type AnyElysia, Elysia } from "elysia"
import { ApiError } from "../http/api-error.ts"
import type { Metrics } from "../metrics/metrics.ts"
import { errorResponse, unavailable } from "../plugins/errors.ts"
import { isLocal } from "./local-request.ts"
import { type ReadinessOptions, readinessResponse } from "./readiness-response.ts"

export interface OperationOptions extends ReadinessOptions {
  metrics: Metrics
  /** Whether operators have a port of their own. */
  hasAdminPort: boolean
}

/** On the port of operators. */
export const adminOperations = (options: OperationOptions) =>
  new Elysia({ name: "admin-operations" })
    .use(health(options))
    .get("/livez", live)
    .get("/readyz", () => readinessResponse(options, { withParts: true }))
    .get("/metrics", () => scrape(options))

/** On the service's port. */
export const operations = (options: OperationOptions): AnyElysia => {
  const operations = new Elysia({ name: "operations" }).use(health(options))
  if (options.hasAdminPort) return operations
  return operations
    .get("/livez", live)
    .get("/readyz", ({ request, server }) =>
      readinessResponse(options, { withParts: isLocal(request, server) }),
    )
    .get("/metrics", ({ request, server }) => {
      if (!isLocal(request, server)) throw new ApiError("NOT_FOUND")
      return scrape(options)
    })
}

/** For load balancers and containers. */
const health = ({ readiness, partStates, isStopping }: ReadinessOptions) =>
  new Elysia({ name: "health" }).get("/health/live", live).get("/health/ready", async () => {
    // Expected, so it is not logged as an error.
    if (isStopping()) return errorResponse(unavailable())
    const { id: release } = await readiness()
    const { redis, notifications } = partStates()
    return { status: "ready", release, redis, notifications }
  })

/** The process answers, whatever else does. */
const live = () => ({ status: "live" })

async function scrape({ metrics }: Pick<OperationOptions, "metrics">): Promise<Response> {
  const { contentType, text } = await metrics.scrape()
  return new Response(text, {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  })
}

/**
 * For operators: liveness, readiness and metrics. They need no token and count against no window. On the
 * service's own port, what tells of its inside is for clients on this machine alone.
 */
import { Elysia } from "elysia"
import { ApiError } from "../http/api-error.ts"
import type { Metrics } from "../metrics/families.ts"
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
    .get("/livez", live)
    .get("/readyz", () => readinessResponse(options, { withParts: true }))
    .get("/metrics", () => scrape(options))

/** On the service's port. */
export const operations = (options: OperationOptions) => {
  const isShown = (request: Request, server: Elysia["server"]) =>
    !options.hasAdminPort && isLocal(request, server)
  return new Elysia({ name: "operations" })
    .get("/livez", live)
    .get("/readyz", ({ request, server }) =>
      readinessResponse(options, { withParts: isShown(request, server) }),
    )
    .get("/metrics", ({ request, server }) => {
      if (!isShown(request, server)) throw new ApiError("NOT_FOUND")
      return scrape(options)
    })
}

/** The process responds, whatever else does. */
const live = () => ({ status: "live" })

async function scrape({ metrics }: Pick<OperationOptions, "metrics">): Promise<Response> {
  const { contentType, text } = await metrics.scrape()
  return new Response(text, {
    headers: { "Content-Type": contentType, "Cache-Control": "no-store" },
  })
}

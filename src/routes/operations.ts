/** For whoever runs the service: is it up, can it answer, how does it stand? No token, no count. */
import { Elysia } from "elysia"
import type { Release } from "../db/reader/releases.ts"
import { ApiError } from "../http/api-error.ts"
import type { Metrics } from "../metrics.ts"

export interface OperationOptions {
  /** Reads the newest release apart from all callers. @throws Unavailable */
  readiness: () => Promise<Release>
  metrics: Metrics
  /** What the service can do without, and how it does: `{ redis: "answering" }`. */
  conditions: () => Readonly<Record<string, string>>
  /** Whether the service is being stopped. */
  isStopping: () => boolean
}

export const operationRoutes = ({ readiness, metrics, conditions, isStopping }: OperationOptions) =>
  new Elysia({ name: "operations" })
    .get("/health/live", () => ({ status: "live" }))
    .get("/health/ready", async () => {
      if (isStopping()) throw new ApiError("UNAVAILABLE")
      return { status: "ready", release: (await readiness()).id, ...conditions() }
    })
    .get("/metrics", async () => {
      const headers = { "Content-Type": metrics.contentType, "Cache-Control": "no-store" }
      return new Response(await metrics.text(), { headers })
    })

/** For operators: health and metrics. They need no token and count against no window. */
import { Elysia } from "elysia"
import type { Release } from "../db/reader/releases.ts"
import type { Metrics } from "../metrics.ts"
import { errorResponse, unavailable } from "../plugins/errors.ts"

export interface OperationOptions {
  /** Reads the newest release, on a connection that no request uses. @throws Unavailable */
  readiness: () => Promise<Release>
  metrics: Metrics
  /** The state of what the service can do without: `{ redis: "answering" }`. */
  conditions: () => Readonly<Record<string, string>>
  /** Whether the service is being stopped. */
  isStopping: () => boolean
}

export const operations = ({ readiness, metrics, conditions, isStopping }: OperationOptions) =>
  new Elysia({ name: "operations" })
    .get("/health/live", () => ({ status: "live" }))
    .get("/health/ready", async () => {
      // Expected, so it is not logged as an error.
      if (isStopping()) return errorResponse(unavailable())
      return { status: "ready", release: (await readiness()).id, ...conditions() }
    })
    .get("/metrics", async () => {
      const { contentType, text } = await metrics.scrape()
      const headers = { "Content-Type": contentType, "Cache-Control": "no-store" }
      return new Response(text, { headers })
    })

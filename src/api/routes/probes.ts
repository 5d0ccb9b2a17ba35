/**
 * For operators: liveness, readiness and metrics. They need no token and count against no window. On the
 * service's own port, only clients on this machine see its parts and its metrics.
 */
import { Elysia } from "elysia"
import type { Release } from "../../data/reader/releases.ts"
import { version } from "../../program.ts"
import { metricsContentType } from "../../system/metrics/families.ts"
import { ApiError } from "../http/api-error.ts"

export interface OperationOptions {
  /** Reads the newest release, on a connection that no request of an account uses; null while the database is unavailable. */
  readiness: () => Promise<Release | null>
  partStates: () => PartStates
  /** Whether the service is being stopped. */
  isStopping: () => boolean
  /** Reads the metrics of the process, as text for Prometheus. */
  scrape: () => Promise<string>
  /** Whether operators have a port of their own. */
  hasAdminPort: boolean
}

/** A part that the settings leave out is unused. */
interface PartStates {
  database: "responding" | "lost"
  replica: "unused" | "responding" | "lost"
  redis: "unused" | "responding" | "lost"
  notifications: "listening" | "lost"
  /** How many sources were fetched, by outcome. */
  fetches: "unused" | Readonly<Record<string, number>>
}

/** @param isShown whether the parts and the metrics are for this request */
export const operations = (
  options: OperationOptions,
  isShown = (request: Request, server: Elysia["server"]): boolean =>
    !options.hasAdminPort && isLocal(request, server),
) =>
  new Elysia({ name: "operations" })
    .get("/livez", live)
    .get("/readyz", ({ request, server }) =>
      readinessResponse(options, { withParts: isShown(request, server) }),
    )
    .get("/metrics", async ({ request, server }) => {
      if (!isShown(request, server)) throw new ApiError("NOT_FOUND")
      return new Response(await options.scrape(), {
        headers: { "Content-Type": metricsContentType, "Cache-Control": "no-store" },
      })
    })

/** The process responds, whatever the state of its parts. */
const live = () => ({ status: "live" })

/** 200 or 503. Anything but an outage of the database is a fault of the service, and is thrown. */
async function readinessResponse(
  { readiness, partStates, isStopping }: OperationOptions,
  { withParts }: { withParts: boolean },
): Promise<Response> {
  // The end of the service closes the connection to the database.
  const release = isStopping() ? null : await readiness()
  const status = isStopping() ? "stopping" : release === null ? "unavailable" : "ready"
  const parts = withParts && { version, release: release?.id ?? null, ...partStates() }
  return Response.json(
    { status, ...parts },
    { status: status === "ready" ? 200 : 503, headers: { "Cache-Control": "no-store" } },
  )
}

/** Headers that a proxy adds (RFC 7239; RFC 9110, 7.6.3), unless it is configured not to. */
const proxyHeaders = ["x-forwarded-for", "forwarded", "via"]

const loopback = /^(?:::ffff:)?127\.|^::1$/

/**
 * Whether a request comes from a program on this machine. By the address of its socket, which no client
 * can choose. A proxy on this machine has such an address too, so a request that passed a proxy is not
 * local.
 */
const isLocal = (request: Request, server: Elysia["server"]): boolean =>
  loopback.test(server?.requestIP(request)?.address ?? "") &&
  !proxyHeaders.some((name) => request.headers.has(name))

/** `/readyz`: whether the service can answer, and the state of each of its parts. */
import { Unavailable } from "../db/pool/unavailable.ts"
import type { Release } from "../db/reader/releases.ts"

export interface ReadinessOptions {
  /** Reads the newest release, on a connection that no request of an account uses. @throws Unavailable */
  readiness: () => Promise<Release>
  partStates: () => PartStates
  /** Whether the service is being stopped. */
  isStopping: () => boolean
}

export interface PartStates {
  database: "answering" | "lost"
  replica: "unused" | "answering" | "lost"
  redis: "unused" | "answering" | "lost"
  notifications: "listening" | "lost"
  /** How many sources were fetched, by what came of it. */
  fetches: "unused" | Readonly<Record<string, number>>
}

/** 200 or 503. Anything but an outage of the database is a fault of the service, and is thrown. */
export async function readinessResponse(
  { readiness, partStates, isStopping }: ReadinessOptions,
  { withParts }: { withParts: boolean },
): Promise<Response> {
  // Its end closes what the database is asked through.
  const release = isStopping() ? null : await releaseOrNull(readiness)
  const status = isStopping() ? "stopping" : release === null ? "unavailable" : "ready"
  const body = withParts ? { status, release, ...partStates() } : { status }
  return Response.json(body, {
    status: status === "ready" ? 200 : 503,
    headers: { "Cache-Control": "no-store" },
  })
}

/** Null while the database is unavailable. */
async function releaseOrNull(readiness: () => Promise<Release>): Promise<number | null> {
  try {
    return (await readiness()).id
  } catch (error) {
    if (error instanceof Unavailable) return null
    throw error
  }
}

import type { AppOptions } from "../app.ts"
import type { HostReadings } from "../db/hosts/hosts.ts"
import type { RedisConnection } from "../redis/connection.ts"
import type { SpanReadings } from "../telemetry/span.ts"

interface Parts {
  hosts: Readonly<Record<string, HostReadings>>
  redis: Pick<RedisConnection, "answering"> | null
  listening: boolean
  fetches: Readonly<Record<string, number>> | null
  spans: Pick<SpanReadings, "isAccepted"> | null
}

/** The parts as `/readyz` shows them. What the settings leave out is unused. */
export const partStates = ({
  hosts,
  redis,
  listening,
  fetches,
  spans,
}: Parts): ReturnType<AppOptions["partStates"]> => ({
  database: Object.entries(hosts).map(([host, { role, isAnswering, release, lagBytes }]) => ({
    host,
    role,
    state: isAnswering ? "answering" : "lost",
    release,
    lag_bytes: lagBytes,
  })),
  redis: redis === null ? "unused" : redis.answering ? "answering" : "lost",
  notifications: listening ? "listening" : "lost",
  fetches: fetches ?? "unused",
  tracing: spans === null ? "unused" : spans.isAccepted ? "accepted" : "refused",
})

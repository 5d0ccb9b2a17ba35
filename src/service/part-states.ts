import type { AppOptions } from "../app.ts"
import type { RedisConnection } from "../redis/connection.ts"
import type { Database } from "./database.ts"

type Fetches = () => Readonly<Record<string, number>>

/** The parts as `/readyz` shows them. What the settings leave out is unused. */
export const partStates = (
  { primary, replica }: ReturnType<Database["states"]>,
  redis: Pick<RedisConnection, "answering"> | null,
  { listening }: { listening: boolean },
  fetches: Fetches | undefined,
): ReturnType<AppOptions["partStates"]> => ({
  database: answering(primary),
  replica: replica === null ? "unused" : answering(replica),
  redis: redis === null ? "unused" : answering(redis.answering),
  notifications: listening ? "listening" : "lost",
  fetches: fetches?.() ?? "unused",
})

const answering = (isAnswering: boolean) => (isAnswering ? "answering" : "lost")

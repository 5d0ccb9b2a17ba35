import type { AppOptions } from "../app.ts"
import type { RedisConnection } from "../redis/connection.ts"
import type { Database } from "./database.ts"

interface Parts {
  database: ReturnType<Database["states"]>
  redis: Pick<RedisConnection, "answering"> | null
  listening: boolean
  fetches: Readonly<Record<string, number>> | null
}

/** The parts as `/readyz` shows them. What the settings leave out is unused. */
export const partStates = ({
  database: { primary, replica },
  redis,
  listening,
  fetches,
}: Parts): ReturnType<AppOptions["partStates"]> => ({
  database: answering(primary),
  replica: replica === null ? "unused" : answering(replica),
  redis: redis === null ? "unused" : answering(redis.answering),
  notifications: listening ? "listening" : "lost",
  fetches: fetches ?? "unused",
})

const answering = (isAnswering: boolean) => (isAnswering ? "answering" : "lost")

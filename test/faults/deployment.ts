/** A PostgreSQL, a Redis and the service on both, each a process of its own that a test may break. */
import { type OwnServerOptions, ownServer } from "../support/own-server.ts"
import { fillWith } from "../support/postgres.ts"
import { serviceProcess } from "../support/process.ts"
import { redisServer } from "../support/redis.ts"
import { accountsOf, awkwardPublished } from "../support/service.ts"

export type Deployment = Awaited<ReturnType<typeof deployment>>

/** Starts all three. Call its `stop` in the end. */
export async function deployment(server: OwnServerOptions = {}) {
  const [database, redis] = await Promise.all([
    ownServer(server),
    redisServer({ password: "hunter2" }),
  ])
  const { admin }: { admin: string } = JSON.parse(await fillWith(awkwardPublished, database.url))
  const settings = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    // So that every response needs the database.
    CACHE_MEMORY_MB: "0",
  }
  const service = await serviceProcess(settings)
  return {
    database,
    redis,
    service,
    /** Of the service, so that a second one can be started beside it. */
    settings,
    /** Of an account on the plan without limit. */
    token: admin,
    /** Makes an account of this limit, and a token of it. */
    issueWithLimit: accountsOf(database.url).issueWithLimit,
    stop: async () => {
      await service.stop()
      await redis.stop()
      await database.stop()
    },
  }
}

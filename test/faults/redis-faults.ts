/** What can happen to a Redis under a service. */
import { until } from "../support/until.ts"
import type { Deployment } from "./deployment.ts"
import type { Fault } from "./fault.ts"

const stateOfRedis = async ({ service }: Deployment): Promise<string> =>
  ((await (await fetch(`${service.url}/readyz`)).json()) as { redis: string }).redis

/** Callers have no part in it: each process goes on with its own windows. */
const redisFault = (fault: Omit<Fault, "statuses">): Fault => ({
  ...fault,
  cause: async (deployment) => {
    await fault.cause(deployment)
    // A connection that breaks is noticed by itself, and a refusal by the request that gets it.
    await deployment.service.get("/companies/BIG", await deployment.issueWithLimit(1))
    await until(async () => (await stateOfRedis(deployment)) === "lost")
  },
  isOver: (deployment) => until(async () => (await stateOfRedis(deployment)) === "answering"),
  statuses: ["200"],
})

export const redisFaults: readonly Fault[] = [
  redisFault({
    name: "Redis killed",
    cause: ({ redis }) => redis.kill(),
    mend: ({ redis }) => redis.restart(),
  }),
  redisFault({
    name: "Redis frozen",
    cause: async ({ redis }) => redis.freeze(),
    mend: async ({ redis }) => redis.thaw(),
  }),
  {
    name: "Redis flushed",
    cause: ({ redis }) => redis.cli("FLUSHALL"),
    mend: async () => {},
    statuses: ["200"],
  },
]

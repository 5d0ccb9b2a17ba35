/** The pools of a serving process, by the kind of work that they do. */
import type { Config } from "../config.ts"
import { createPool, type PoolOptions } from "../db/pool/pool.ts"

const housekeepingConnections = 2
const unauthenticatedConnections = 1
const signInConnections = 4
const accountConnections = 2
/**
 * The best plan of a list's statement depends on the values that it binds: how frequent a type is, how
 * deep a page. Planning takes well under a millisecond, a generic plan can take hundreds.
 */
const plannedForValues = { plan_cache_mode: "force_custom_plan" }
/** Room for the bitmap of a frequent term among millions of rows, so that rows need not be rechecked. */
const plannedForCounts = { ...plannedForValues, work_mem: "64MB" }
/** So that a request is refused within two seconds where it can't have its data. */
const connectTimeoutMs = 1_500

/** Makes pools of the sizes in the settings. */
function poolsOf(config: Config, url: string, availability: PoolOptions["availability"]) {
  const pool = (name: string, connections: number, options: Partial<PoolOptions> = {}) =>
    createPool(url, {
      name,
      connections,
      queueLength: config.QUEUE_LENGTH,
      statementTimeoutMs: config.STATEMENT_TIMEOUT_SECONDS * 1000,
      lockTimeoutMs: config.LOCK_TIMEOUT_MS,
      connectTimeoutMs,
      ...(availability && { availability }),
      ...options,
    })
  /** For requests of accounts: one account gets at most half of the connections, so that others need not wait. */
  const fairPool = (name: string, connections: number, options: Partial<PoolOptions> = {}) =>
    pool(name, connections, {
      connectionsPerAccount: Math.ceil(connections / 2),
      queueLengthPerAccount: config.ACCOUNT_QUEUE_LENGTH,
      waitMs: config.QUEUE_SECONDS * 1000,
      refusesEarly: true,
      ...options,
    })
  return { pool, fairPool }
}

export type ReadPools = ReturnType<typeof createReadPools>

/** For all that a replica may do. */
export function createReadPools(
  config: Config,
  url: string,
  availability: PoolOptions["availability"],
) {
  const { pool, fairPool } = poolsOf(config, url, availability)
  return {
    // These statements are so short that one free connection is enough for the others.
    lookups: fairPool("lookups", config.LOOKUP_CONNECTIONS, {
      connectionsPerAccount: Math.max(1, config.LOOKUP_CONNECTIONS - 1),
    }),
    pages: fairPool("pages", config.REQUEST_CONNECTIONS, { parameters: plannedForValues }),
    counts: fairPool("counts", config.COUNT_CONNECTIONS, { parameters: plannedForCounts }),
    // Its queue has room for every export in progress, because one that has begun should not fail there.
    exports: fairPool("exports", config.EXPORT_CONNECTIONS, {
      parameters: plannedForValues,
      refusesEarly: false,
      queueLength: config.MAX_EXPORTS,
      queueLengthPerAccount: config.MAX_EXPORTS,
      waitMs: config.EXPORT_STALL_SECONDS * 1000,
    }),
    unauthenticated: pool("unauthenticated", unauthenticatedConnections),
  }
}

export type Pools = ReturnType<typeof createPools>

/** Each kind of work has its own connections, so that none waits for another. */
export function createPools(
  config: Config,
  url: string,
  availability: PoolOptions["availability"],
) {
  const { pool, fairPool } = poolsOf(config, url, availability)
  return {
    ...createReadPools(config, url, availability),
    housekeeping: pool("housekeeping", housekeepingConnections, { isBackground: true }),
    // Of people, so that neither a flood of made-up sessions nor of attempts to sign in delays the API.
    signIn: pool("sign-in", signInConnections),
    // What people read in the account area, so that it delays neither the API nor what is written.
    account: fairPool("account", accountConnections),
  }
}

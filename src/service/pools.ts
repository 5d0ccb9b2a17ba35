/** The pools of a serving process, by the kind of work: none waits for another. */
import type { Config } from "../config.ts"
import { createPool, type PoolOptions } from "../db/pool/pool.ts"

/**
 * The best plan of a list's statement depends on the values that it binds: how frequent a type is, how
 * deep a page. Planning takes well under a millisecond, a generic plan can take hundreds.
 */
const plannedForValues = { plan_cache_mode: "force_custom_plan" }
/** Room for the bitmap of a frequent term among millions of rows, so that rows need not be rechecked. */
const plannedForLists = { ...plannedForValues, work_mem: "64MB" }

type PoolConfig = Pick<Config, "DATABASE_CONNECTIONS" | "STATEMENT_TIMEOUT_SECONDS">

export type Pools = ReturnType<typeof createPools>

/** @param availability without it, a database that does not answer shows by the deadlines */
export function createPools(
  { DATABASE_CONNECTIONS: all, STATEMENT_TIMEOUT_SECONDS }: PoolConfig,
  url: string,
  availability?: PoolOptions["availability"],
) {
  const pool = (
    name: string,
    connections: number,
    options: Pick<PoolOptions, "connectionsPerAccount" | "parameters">,
  ) =>
    createPool(url, {
      name,
      connections,
      statementTimeoutMs: STATEMENT_TIMEOUT_SECONDS * 1000,
      ...(availability && { availability }),
      ...options,
    })

  const records = Math.ceil(all / 3)
  const exports = Math.ceil(all / 8)
  const accounts = Math.ceil(all / 8)
  const lists = all - records - exports - accounts
  return {
    /**
     * Records, tokens and releases. While a statement of an account runs, its further lookups are collected
     * for the next one: one at a time makes the largest batches, which cost a quarter less CPU than two.
     */
    records: pool("records", records, { connectionsPerAccount: 1 }),
    /** Pages and totals of lists. */
    lists: pool("lists", lists, {
      connectionsPerAccount: Math.ceil(lists / 2),
      parameters: plannedForLists,
    }),
    exports: pool("exports", exports, {
      connectionsPerAccount: Math.ceil(exports / 2),
      parameters: plannedForValues,
    }),
    /** What is written, whoever signs in, the account area, and readiness. */
    accounts: pool("accounts", accounts, { connectionsPerAccount: Math.max(1, accounts - 1) }),
  }
}

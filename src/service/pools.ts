/** The pools of a serving process, one for each kind of work, so that none delays another. */
import type { Config } from "../config.ts"
import { createPool, type PoolOptions } from "../db/pool/pool.ts"

/**
 * The best plan of a list's statement depends on its bound values: the frequency of a type, the depth of a
 * page. Planning takes well under a millisecond; a generic plan can cost hundreds.
 */
const plannedForValues = { plan_cache_mode: "force_custom_plan" }
/** Memory for the bitmap of a frequent term among millions of rows, which avoids rechecking rows. */
const plannedForLists = { ...plannedForValues, work_mem: "64MB" }

type PoolConfig = Pick<Config, "DATABASE_CONNECTIONS" | "STATEMENT_TIMEOUT_SECONDS">

export type Pools = ReturnType<typeof createPools>

/** @param availability without it, only deadlines detect a database that does not respond */
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
     * Records, tokens and releases. While a statement of an account runs, its further lookups wait for the
     * next batch. One connection makes the largest batches, which cost a quarter less CPU than with two.
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
    /** Writes, sign-in, the account area and readiness. */
    accounts: pool("accounts", accounts, { connectionsPerAccount: Math.max(1, accounts - 1) }),
  }
}

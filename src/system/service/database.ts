/** The pools on the primary database and, for reads, on its replicas. */
import type { Config } from "../../config.ts"
import {
  type Availability,
  type DatabaseAddress,
  watchAvailability,
} from "../../data/db/pool/availability.ts"
import { createPool, type PoolOptions, type PoolReadings } from "../../data/db/pool/pool.ts"
import type { ReaderPools } from "../../data/reader/reads.ts"
import { replicated } from "../../data/reader/replicated.ts"
import { describeError, type Log } from "../log/log.ts"

export interface DatabaseOptions {
  config: Config
  databaseUrl: string
  log: Log
}

export function connectDatabase({ config, databaseUrl, log }: DatabaseOptions) {
  const { DATABASE_DIRECT_URL, DATABASE_READ_URL: readUrl } = config
  const directUrl = DATABASE_DIRECT_URL ?? databaseUrl
  const primary = connect(config, log, { url: databaseUrl, directUrl }, "the database")
  const replica = readUrl
    ? connect(config, log, { url: readUrl, directUrl: readUrl }, "the replica")
    : null
  const { pools } = primary
  const named = [
    ...Object.entries(pools),
    ...Object.entries(replica?.pools ?? {}).map(
      ([name, pool]) => [`replica ${name}`, pool] as const,
    ),
  ]

  /** Pools on the replica, if any; the primary serves reads that the replica cannot. */
  const readPools: ReaderPools = replica
    ? {
        records: replicated(replica.pools.records, pools.records),
        lists: replicated(replica.pools.lists, pools.lists),
        exports: replicated(replica.pools.exports, pools.exports),
      }
    : pools

  return {
    /** On the primary. */
    pools,
    readPools,
    /** The primary's own address, without a pooler. */
    directUrl,
    /** For those with connections of their own to the primary, which may be dead after an outage. */
    listen: primary.availability.listen,
    /** Returns the URL of the primary for lasting sessions. @throws Unavailable while it does not respond */
    sessionUrl: (): string => {
      primary.availability.ensure()
      return directUrl
    },
    /** Whether each responds; null without a replica. */
    states: () => ({
      primary: primary.availability.isResponding,
      replica: replica ? replica.availability.isResponding : null,
    }),
    /** Readings by pool; names of the replica's pools begin with `replica`. */
    poolReadings: (): Record<string, PoolReadings> =>
      Object.fromEntries(named.map(([name, pool]) => [name, pool.readings()])),
    close: async (): Promise<void> => {
      const closable = [
        primary.availability,
        replica?.availability,
        ...named.map(([, pool]) => pool),
      ]
      await Promise.all(closable.map((each) => each?.close()))
    },
  }
}

/** @param name for the log */
function connect(config: Config, log: Log, address: DatabaseAddress, name: string) {
  const availability = watchAvailability(address)
  const pools = createPools(config, address.url, availability)
  availability.listen({
    onLost: (error) => {
      log.error(`${name} does not respond`, describeError(error))
      for (const pool of Object.values(pools)) pool.cutOff(error)
    },
    onBack: () => log.info(`${name} responds again`),
  })
  return { availability, pools }
}

/**
 * The best plan of a list's statement depends on its bound values: the frequency of a type, the depth of a
 * page. Planning takes well under a millisecond; a generic plan can cost hundreds.
 */
const plannedForValues = { plan_cache_mode: "force_custom_plan" }
/** Memory for the bitmap of a frequent term among millions of rows, which avoids rechecking rows. */
const plannedForLists = { ...plannedForValues, work_mem: "64MB" }

type PoolConfig = Pick<Config, "DATABASE_CONNECTIONS" | "STATEMENT_TIMEOUT_SECONDS">

/** The pools of a serving process, one for each kind of work, so that none delays another. */
function createPools(
  { DATABASE_CONNECTIONS: all, STATEMENT_TIMEOUT_SECONDS }: PoolConfig,
  url: string,
  availability: Availability,
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
      availability,
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
    /** Watches: one connection beside the others, so that counting for them delays no request. */
    watches: pool("watches", 1, { parameters: plannedForLists }),
  }
}

/** The pools on the primary database and, for reads, on its replicas. */
import type { Config } from "../config.ts"
import {
  type Availability,
  type DatabaseAddress,
  watchAvailability,
} from "../db/pool/availability.ts"
import type { PoolReadings } from "../db/pool/pool.ts"
import type { Unavailable } from "../db/pool/unavailable.ts"
import type { ReaderPools } from "../db/reader/reader-caches.ts"
import { replicated } from "../db/reader/replicated.ts"
import { describeError, type Log } from "../log/log.ts"
import { createPools, type Pools } from "./pools.ts"

export type Database = ReturnType<typeof connectDatabase>

export interface DatabaseOptions {
  config: Config
  databaseUrl: string
  log: Log
  /** Called when the primary stops responding: connections to it may be dead. */
  onLost: (error: Unavailable) => void
}

export function connectDatabase({ config, databaseUrl, log, onLost }: DatabaseOptions) {
  const { DATABASE_DIRECT_URL, DATABASE_READ_URL: readUrl } = config
  const directUrl = DATABASE_DIRECT_URL ?? databaseUrl
  const primary = connect(config, log, { url: databaseUrl, directUrl }, "the database", onLost)
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
function connect(
  config: Config,
  log: Log,
  address: DatabaseAddress,
  name: string,
  onLost: (error: Unavailable) => void = () => {},
) {
  const availability: Availability = watchAvailability(address, {
    onLost: (error) => {
      log.error(`${name} does not respond`, describeError(error))
      for (const pool of Object.values(pools)) pool.cutOff(error)
      onLost(error)
    },
    onBack: () => log.info(`${name} responds again`),
  })
  const pools: Pools = createPools(config, address.url, availability)
  return { availability, pools }
}

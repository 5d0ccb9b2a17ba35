/** The database: pools on its primary, and for reads on its replicas, if there are any. */
import type { Config } from "../config.ts"
import { type Availability, watchAvailability } from "../db/pool/availability.ts"
import { isMissingObject } from "../db/pool/database-errors.ts"
import type { Pool, PoolReadings } from "../db/pool/pool.ts"
import { Overloaded, Unavailable } from "../db/pool/unavailable.ts"
import { ReleaseUnavailable } from "../db/reader/releases.ts"
import { describeError, type Log } from "../log/log.ts"
import { createPools, createReadPools, type Pools, type ReadPools } from "./pools.ts"

export interface Database {
  /** @throws Unavailable while the primary does not answer */
  ensureAvailable(): void
  pools: Pools
  /** Null without replicas. */
  replica: ReadPools | null
  /** Whether each answers. */
  states(): { primary: boolean; replica: boolean | null }
  /** By pool; those of the replicas begin with `replica`. */
  poolReadings(): Record<string, PoolReadings>
  close(): Promise<void>
}

export interface DatabaseOptions {
  config: Config
  databaseUrl: string
  log: Log
  /** Called when the primary does not answer any more: what is connected to it may be dead. */
  onLost: (error: Unavailable) => void
}

export function connectDatabase({ config, databaseUrl, log, onLost }: DatabaseOptions): Database {
  const directUrl = config.DATABASE_DIRECT_URL ?? databaseUrl
  const availability = watchAvailability(
    { url: databaseUrl, directUrl },
    {
      onLost: (error) => {
        log.error("the database does not answer", describeError(error))
        cutOff(pools, error)
        onLost(error)
      },
      onBack: () => log.info("the database answers again"),
    },
  )
  const pools = createPools(config, databaseUrl, availability)
  const replica = config.DATABASE_READ_URL && connectReplica(config, config.DATABASE_READ_URL, log)
  const all = [
    ...Object.entries(pools),
    ...Object.entries(replica ? replica.pools : {}).map(
      ([name, pool]) => [`replica ${name}`, pool] as const,
    ),
  ]

  return {
    ensureAvailable: availability.ensure,
    pools,
    replica: replica ? replica.pools : null,
    states: () => ({
      primary: availability.isAnswering,
      replica: replica ? replica.availability.isAnswering : null,
    }),
    poolReadings: () => Object.fromEntries(all.map(([name, pool]) => [name, pool.readings()])),
    close: async () => {
      const closing = [
        availability,
        ...(replica ? [replica.availability] : []),
        ...all.map(([, pool]) => pool),
      ]
      await Promise.all(closing.map((each) => each.close()))
    },
  }
}

function connectReplica(config: Config, url: string, log: Log) {
  const availability: Availability = watchAvailability(
    { url, directUrl: url },
    {
      onLost: (error) => {
        log.warn("the replica does not answer: the primary is read", describeError(error))
        cutOff(pools, error)
      },
      onBack: () => log.info("the replica answers again"),
    },
  )
  const pools: ReadPools = createReadPools(config, url, availability)
  return { availability, pools }
}

function cutOff(pools: Readonly<Record<string, Pool>>, reason: Unavailable): void {
  for (const pool of Object.values(pools)) pool.cutOff(reason)
}

/**
 * Reads on the replica, and once on the primary where the replica refuses or cancels the read, does not
 * answer, or has not the release. A replica that lags may lack tables and columns of a migration too.
 */
export const readOnReplica =
  <T>(replica: T, primary: T) =>
  async <R>(read: (on: T) => Promise<R>): Promise<R> => {
    try {
      return await read(replica)
    } catch (error) {
      const isOfReplica =
        (error instanceof Unavailable && !(error instanceof Overloaded)) ||
        error instanceof ReleaseUnavailable ||
        isMissingObject(error)
      if (!isOfReplica) throw error
      return read(primary)
    }
  }

/** The hosts of the database, with pools on the primary, and for reads on each host that may be a standby. */
import type { Config } from "../config.ts"
import { addressesOf, type Host } from "../db/hosts/host.ts"
import { createHosts, type DatabaseHosts } from "../db/hosts/hosts.ts"
import { type ReadRelease, readOnStandbys } from "../db/hosts/reads.ts"
import type { Pool, PoolReadings } from "../db/pool/pool.ts"
import { HostUnavailable, type Unavailable } from "../db/pool/unavailable.ts"
import { describeError, type Log } from "../log/log.ts"
import { addedReadings } from "../telemetry/histogram.ts"
import { createPools, createReadPools, type Pools, type ReadPools } from "./pools.ts"

export interface Database {
  hosts: DatabaseHosts
  /** On the primary, wherever it is. */
  pools: Pools
  /** What is made of the pools of a standby, once for each. */
  perStandby<T>(make: (pools: ReadPools) => T): (host: Host) => T
  /** Reads on the standbys, if there are any. */
  reads<T>(onPrimary: T, onStandby: (host: Host) => T): ReadRelease<T>
  /** By pool, those of all hosts together. */
  poolReadings(): Record<string, PoolReadings>
  /** Whether the question for the state of the primary is under way. */
  readiness(): { running: number; waiting: number }
  close(): Promise<void>
}

export interface DatabaseOptions {
  config: Config
  databaseUrl: string
  log: Log
  /** Called when no host is the primary any more: it does not answer, for one. */
  onPrimaryLost: () => void
  /** Called when another host is the primary, or again the one that was lost: what is connected to it may be dead. */
  onPrimary: () => void
}

export function connectDatabase({
  config,
  databaseUrl,
  log,
  onPrimaryLost,
  onPrimary,
}: DatabaseOptions): Database {
  const hosts = createHosts(addressesOf(config, databaseUrl), {
    onLost: (host, error) => {
      log.error("the database does not answer", { host: host.name, ...describeError(error) })
      if (host === hosts.current()) cutOff(pools, error)
      cutOff(ofHost.get(host), error)
    },
    onBack: (host) => log.info("the database answers again", { host: host.name }),
    onPrimaryLost,
    onPrimary: (host, before) => {
      if (host !== before) {
        reportFailover(log, host, before)
        cutOff(pools, new HostUnavailable("Another host of the database is the primary"))
      }
      onPrimary()
    },
  })
  const pools = createPools(config, () => hosts.current().address.url, hosts.primary)
  const isOneOfSeveral = hosts.all.length > 1
  const ofHost = new Map<Host, ReadPools>(
    isOneOfSeveral
      ? hosts.all.map((host) => [host, createReadPools(config, host.address.url, host)])
      : [],
  )
  const everyPools = (): Readonly<Record<string, Pool>>[] => [pools, ...ofHost.values()]

  return {
    hosts,
    pools,

    perStandby: (make) => {
      const made = new Map([...ofHost].map(([host, read]) => [host, make(read)]))
      return (host) => {
        const found = made.get(host)
        if (found === undefined) throw new Error(`There are no pools for reads on ${host.name}`)
        return found
      }
    },

    reads: (onPrimary, onStandby) =>
      isOneOfSeveral ? readOnStandbys(hosts, onStandby, onPrimary) : (_, read) => read(onPrimary),

    poolReadings: () => {
      const sums: Record<string, PoolReadings> = {}
      for (const each of everyPools()) {
        for (const pool of Object.values(each)) {
          const readings = pool.readings()
          const sum = sums[pool.name]
          sums[pool.name] = sum ? added(sum, readings) : readings
        }
      }
      return sums
    },

    readiness: () => hosts.current().load(),

    close: async () => {
      const all = everyPools().flatMap((each) => Object.values(each))
      await Promise.all([hosts, ...all].map((each) => each.close()))
    },
  }
}

function reportFailover(log: Log, primary: Host, before: Host): void {
  log.warn("another host of the database is the primary", {
    host: primary.name,
    before: before.name,
  })
  if (before.outage || before.report?.isInRecovery !== false) return
  log.error("two hosts of the database are primaries: the one of the lower timeline is not used", {
    host: before.name,
  })
}

const added = (a: PoolReadings, b: PoolReadings): PoolReadings => ({
  connections: a.connections + b.connections,
  running: a.running + b.running,
  waiting: a.waiting + b.waiting,
  refused: a.refused + b.refused,
  waitSeconds: addedReadings(a.waitSeconds, b.waitSeconds),
  statementSeconds: addedReadings(a.statementSeconds, b.statementSeconds),
})

function cutOff(pools: Readonly<Record<string, Pool>> | undefined, reason: Unavailable): void {
  for (const pool of Object.values(pools ?? {})) pool.cutOff(reason)
}

/**
 * The hosts of a database: a primary and any number of standbys that follow it by streaming replication.
 *
 * Each host is asked about twice a second what it is. So a promotion shows by itself, wherever it was
 * made, and a standby that lags, is gone or does not answer is left out until it is back. The lag of a
 * standby in releases decides what it may be asked. That is only a forecast: each statement itself returns
 * which releases it saw, and what a standby turns out not to have is read elsewhere.
 */
import { HostUnavailable } from "../pool/unavailable.ts"
import type { Release } from "../reader/releases.ts"
import { createHost, type Host, type HostAddress, type PoolHost } from "./host.ts"
import { readOnPrimaryFirst } from "./reads.ts"
import { isStandby, primaryOf, systemOf } from "./roles.ts"

export interface HostReadings {
  role: "primary" | "standby" | "unknown"
  isAnswering: boolean
  /** How many bytes of the write-ahead log it has yet to replay, of what the primary last reported. */
  lagBytes: number
  /** The number of its newest release. */
  release: number
}

export interface DatabaseHosts {
  /** In the order of the settings. */
  all: readonly Host[]
  /** The primary, wherever it is, for the pools whose work is done there. */
  primary: PoolHost
  /** The primary, or the host that was it last. */
  current(): Host
  /** The standbys that have the release. */
  standbysWith(release: number): readonly Host[]
  /**
   * The standbys that have all that the primary was last known to have, while that one is lost. A primary
   * that answers may have more than it was last known to have: a revoked token, for one.
   */
  standbysInSync(): readonly Host[]
  /**
   * Asks the primary for its newest release; while there is none, a standby that has all it had.
   * @throws Unavailable
   */
  ask(): Promise<Release>
  readings(): Readonly<Record<string, HostReadings>>
  /** Waits until each host has answered or not. */
  ready(): Promise<void>
  close(): Promise<void>
}

export interface HostsHandlers {
  /** The host stopped answering. */
  onLost: (host: Host, error: HostUnavailable) => void
  onBack: (host: Host) => void
  /** No host is the primary until `onPrimary` is called. */
  onPrimaryLost: () => void
  /** The host is the primary from now on: another one than before, or again the one that was lost. */
  onPrimary: (host: Host, before: Host) => void
}

/** @param addresses that of the presumed primary first */
export function createHosts(
  addresses: readonly HostAddress[],
  { onLost, onBack, onPrimaryLost, onPrimary }: HostsHandlers,
): DatabaseHosts {
  const isOneOfSeveral = addresses.length > 1
  const all = addresses.map((address) => {
    const host = createHost(address, {
      onLost: (error) => {
        findPrimary()
        onLost(host, error)
      },
      onBack: () => {
        onBack(host)
        findPrimary()
      },
      onReport: findPrimary,
      isOneOfSeveral,
    })
    return host
  })
  const [first] = all
  if (!first) throw new Error("A database has one host at least")
  let primary = first
  /** Whether it answers and is the primary, as far as is known. */
  let hasPrimary = true

  function findPrimary(): void {
    const before = primary
    const hadPrimary = hasPrimary
    // What a single host is makes no difference, as long as it answers.
    const found = isOneOfSeveral ? primaryOf(all, before) : before.outage ? undefined : before
    hasPrimary = found !== undefined
    if (!found) {
      if (hadPrimary) onPrimaryLost()
      return
    }
    primary = found
    if (!hadPrimary || found !== before) onPrimary(found, before)
  }

  const ofPrimary: PoolHost = {
    ensureAvailable: () => {
      primary.ensureAvailable()
      if (!hasPrimary) throw new HostUnavailable("No host of the database is the primary")
    },
    begin: () => primary.begin(),
    end: () => {},
  }
  const standbys = () => {
    const system = systemOf(all, primary)
    return all.filter((host) => host !== primary && isStandby(host, system))
  }
  const standbysInSync = () =>
    hasPrimary ? [] : standbys().filter((host) => positionOf(host) >= positionOf(primary))
  const askPrimary = async () => {
    const report = await primary.ask()
    ofPrimary.ensureAvailable()
    return report
  }
  const positionOf = ({ report }: Host): number => report?.cluster?.position ?? 0

  return {
    all,
    primary: isOneOfSeveral ? ofPrimary : first,
    current: () => primary,
    standbysWith: (release) =>
      standbys().filter(({ report }) => report !== undefined && report.release.id >= release),
    standbysInSync,
    ask: async () => {
      const asks = () => standbysInSync().map((host) => host.ask)
      const { release } = await readOnPrimaryFirst(askPrimary, asks, (ask) => ask())
      return release
    },
    readings: () =>
      Object.fromEntries(
        all.map((host) => [
          host.name,
          {
            role: roleOf(host, host === primary && (hasPrimary || !isOneOfSeveral)),
            isAnswering: host.outage === undefined,
            lagBytes: Math.max(0, positionOf(primary) - positionOf(host)),
            release: host.report?.release.id ?? 0,
          },
        ]),
      ),
    ready: async () => {
      await Promise.allSettled(all.map((host) => host.ask()))
    },
    close: async () => {
      await Promise.all(all.map((host) => host.close()))
    },
  }
}

function roleOf({ report }: Host, isPrimary: boolean): HostReadings["role"] {
  if (isPrimary) return "primary"
  return report?.isInRecovery ? "standby" : "unknown"
}

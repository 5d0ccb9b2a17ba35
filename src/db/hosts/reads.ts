/** Chooses the host that a read is sent to, and another one where that can't serve it. */
import { isMissingObject } from "../pool/database-errors.ts"
import { HostUnavailable, RecoveryConflict } from "../pool/unavailable.ts"
import { ReleaseUnavailable } from "../reader/releases.ts"
import type { Host } from "./host.ts"
import type { DatabaseHosts } from "./hosts.ts"

/**
 * Runs a read of a release on one of the hosts. It may be run again on another one, so it has no effect.
 * @template T what reads on a host
 */
export type ReadRelease<T> = <R>(release: { id: number }, read: (on: T) => Promise<R>) => Promise<R>

/** A standby that turned out not to have a release, or not to answer, is left out for this long. */
const leaveOutMs = 1_000

/**
 * Reads on the least busy of the standbys that have the release; on another one where that does not
 * answer or turns out not to have it; and on the primary where none does.
 */
export function readOnStandbys<T>(
  { standbysWith }: Pick<DatabaseHosts, "standbysWith">,
  onStandby: (host: Host) => T,
  onPrimary: T,
  nowMs = () => performance.now(),
): ReadRelease<T> {
  const running = new Map<Host, number>()
  const leftOutUntilMs = new Map<Host, number>()
  let turn = 0

  /** The least busy first; of those that are equally busy, each in its turn. */
  function candidates(release: number): Host[] {
    const found = standbysWith(release).filter((host) => (leftOutUntilMs.get(host) ?? 0) <= nowMs())
    if (found.length < 2) return [...found]
    turn = (turn + 1) % found.length
    const turned = [...found.slice(turn), ...found.slice(0, turn)]
    return turned.sort((a, b) => (running.get(a) ?? 0) - (running.get(b) ?? 0))
  }

  /** Runs a read as one that counts for the host's load. */
  async function readOn<R>(host: Host, read: (on: T) => Promise<R>): Promise<R> {
    running.set(host, (running.get(host) ?? 0) + 1)
    try {
      return await read(onStandby(host))
    } finally {
      running.set(host, (running.get(host) ?? 1) - 1)
    }
  }

  return async (release, read) => {
    const failed: Host[] = []
    /** Only where another host has answered: otherwise the release may be nowhere. */
    const leaveOutFailed = (): void => {
      for (const host of failed) leftOutUntilMs.set(host, nowMs() + leaveOutMs)
    }
    for (const host of candidates(release.id)) {
      try {
        const result = await readOn(host, read)
        leaveOutFailed()
        return result
      } catch (error) {
        if (!isOfStandby(error)) throw error
        if (!(error instanceof RecoveryConflict)) failed.push(host)
      }
    }
    const result = await read(onPrimary)
    leaveOutFailed()
    return result
  }
}

/** Whether another host may answer. One that lags may lack tables and columns of a migration too. */
const isOfStandby = (error: unknown): boolean =>
  error instanceof HostUnavailable || error instanceof ReleaseUnavailable || isMissingObject(error)

/**
 * Runs a read on the primary; while there is none, on the first of these standbys that answers.
 * @param standbys those that may answer, the best first
 */
export async function readOnPrimaryFirst<T, R>(
  onPrimary: T,
  standbys: () => readonly T[],
  read: (on: T) => Promise<R>,
): Promise<R> {
  try {
    return await read(onPrimary)
  } catch (error) {
    if (!(error instanceof HostUnavailable)) throw error
    for (const standby of standbys()) {
      try {
        return await read(standby)
      } catch (cause) {
        if (!isOfStandby(cause)) throw cause
      }
    }
    throw error
  }
}

/**
 * Reads releases while there is no primary. A standby answers then, but only one that has the newest
 * release that the primary is known to have had: no older one is ever announced after a newer one.
 */
import type { Host } from "../hosts/host.ts"
import type { DatabaseHosts } from "../hosts/hosts.ts"
import { readOnPrimaryFirst } from "../hosts/reads.ts"
import type { Releases } from "./releases.ts"

export function createReleasesWithStandbys(
  { current, standbysWith }: Pick<DatabaseHosts, "current" | "standbysWith">,
  primary: Releases,
  onStandby: (host: Host) => Releases,
): Releases {
  /** Of the primary, as it was last read: after a failover it may be an older one than before. */
  let newest = 0

  function standbys(): Releases[] {
    const known = Math.max(newest, current().report?.release.id ?? 0)
    return standbysWith(known).toSorted(byNewest).map(onStandby)
  }

  const read = <T>(from: (releases: Releases) => Promise<T>): Promise<T> =>
    readOnPrimaryFirst(primary, standbys, from)

  return {
    current: (account) =>
      read(async (releases) => {
        const release = await releases.current(account)
        if (releases === primary) newest = release.id
        return release
      }),
    oldest: (account) => read((releases) => releases.oldest(account)),
    at: (point, account) => read((releases) => releases.at(point, account)),
  }
}

const byNewest = (a: Host, b: Host): number =>
  (b.report?.release.id ?? 0) - (a.report?.release.id ?? 0)

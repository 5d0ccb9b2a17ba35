/**
 * Which of several hosts is the primary, by what they report. After a promotion the old primary may come
 * back without being in recovery: the promoted host has a higher timeline, and nothing is written to a
 * host of a lower timeline any more.
 */
import type { Host } from "./host.ts"

/** What is known of a host: its last report, and whether it answers now. */
export type KnownHost = Pick<Host, "report" | "outage">

/**
 * The primary: of the hosts that answer and are not in recovery the one of the highest timeline, and of
 * several such the one that was the primary before, or else the first. Undefined where there is none.
 * A host that answers without a report remains what it was.
 * @param before the primary until now, whose cluster the others must belong to
 */
export function primaryOf<T extends KnownHost>(hosts: readonly T[], before: T): T | undefined {
  if (!before.report && !before.outage) return before
  const system = systemOf(hosts, before)
  const ofCluster = hosts.filter(({ report }) => report?.cluster?.system === system)
  const timelineOf = ({ report }: T): number => report?.cluster?.timeline ?? 0
  const newest = Math.max(...ofCluster.map(timelineOf))
  const primaries = ofCluster.filter(
    (host) => !host.outage && host.report?.isInRecovery === false && timelineOf(host) === newest,
  )
  return primaries.includes(before) ? before : primaries[0]
}

/** The identifier of the cluster that is served: that of the primary, or of the first host that is known. */
export const systemOf = <T extends KnownHost>(
  hosts: readonly T[],
  primary: T,
): string | undefined =>
  [primary, ...hosts].find(({ report }) => report?.cluster)?.report?.cluster?.system

/** Whether the host is a standby of that cluster, and answers. */
export const isStandby = ({ report, outage }: KnownHost, system: string | undefined): boolean =>
  !outage && report?.isInRecovery === true && report.cluster?.system === system

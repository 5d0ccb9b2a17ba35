/** Finds the primary among several hosts, for a command. */
import { DatabaseError } from "../first-connection.ts"
import { type HostAddress, nameOf } from "./host.ts"
import { createProbe } from "./probe.ts"
import { isStandby, type KnownHost, primaryOf, systemOf } from "./roles.ts"

/** Of a command; a request waits less. */
const limitMs = 5_000

interface Asked extends KnownHost {
  address: HostAddress
}

/**
 * The address of the primary. A single host is taken for it without asking.
 * @param orStandby whether a standby will do where there is no primary
 * @throws DatabaseError where no host is the primary
 */
export async function findPrimary(
  addresses: readonly HostAddress[],
  { orStandby = false } = {},
): Promise<HostAddress> {
  const [first, ...others] = addresses
  if (!first) throw new Error("A database has one host at least")
  if (others.length === 0) return first
  const hosts = await Promise.all(addresses.map(ask))
  const [presumed] = hosts as [Asked, ...Asked[]]
  const primary = primaryOf(hosts, presumed)
  if (primary) return primary.address
  const standby = hosts.find((host) => isStandby(host, systemOf(hosts, presumed)))
  if (standby && orStandby) return standby.address
  throw new DatabaseError(
    `No host of the database is the primary: ${hosts.map(describe).join(", ")}. ` +
      "Promote one, or check DATABASE_URL and DATABASE_REPLICA_URLS",
  )
}

async function ask(address: HostAddress): Promise<Asked> {
  const probe = createProbe(address.directUrl, { isOneOfSeveral: true, limitMs })
  const result = await probe.ask()
  probe.close().catch(() => {})
  return {
    address,
    report: result.kind === "reported" ? result.report : undefined,
    outage: result.kind === "unreachable" ? { cause: result.error } : undefined,
  }
}

function describe({ address, report, outage }: Asked): string {
  const state = outage ? "does not answer" : report?.isInRecovery ? "is a standby" : "is outdated"
  return `${nameOf(address.url)} ${state}`
}

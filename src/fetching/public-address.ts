/**
 * Which addresses may be connected to. An address of a private network or of this machine is refused
 * unless the operator allows it, because a redirect or a name server could otherwise lead to services
 * that trust this machine. The check is of the very address that is connected to: the name is resolved
 * once, and its public addresses are tried in turn.
 */
import { lookup } from "node:dns/promises"
import ipaddr from "ipaddr.js"
import { codeOf } from "../text/error-code.ts"
import { FetchError } from "./fetch-error.ts"

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== "unicast") return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/** All of IPv6 that is public: what is outside is reserved, or may stand for an address of IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * The addresses that may be connected to for a URL's host, as URLs have them; at least one.
 * @throws FetchError where it has none, or only some that are not allowed
 */
export async function resolveAddresses(url: URL, allowPrivate: boolean): Promise<string[]> {
  const host = url.hostname.replace(/^\[|\]$/g, "")
  const resolved = await lookup(host, { all: true }).catch((error: unknown) => {
    const isTemporary = codeOf(error) === "EAI_AGAIN" || codeOf(error) === "DNS_ETIMEOUT"
    throw new FetchError(url, `the host ${host} has no known address`, { isTemporary })
  })
  const allowed = resolved.filter(({ address }) => allowPrivate || isPublicAddress(address))
  if (allowed.length > 0) {
    return allowed.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
  }
  const found = resolved.map(({ address }) => address).join(", ")
  throw new FetchError(
    url,
    `${found || host} is an address of a private network or of this machine, which is not allowed`,
  )
}

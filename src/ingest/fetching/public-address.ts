/**
 * The addresses to which a fetch may connect. It rejects an address of a private network or of this machine
 * unless the operator allows it, because a redirect or a name server could otherwise lead to services that
 * trust this machine. The fetch resolves a name once and connects to the very addresses that it checked.
 */
import { lookup } from "node:dns/promises"
import ipaddr from "ipaddr.js"
import { codeOf } from "../../system/text/error-code.ts"
import { FetchError } from "./fetch-error.ts"

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== "unicast") return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/** The public range of IPv6: others are reserved, or may represent an address of IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/**
 * The allowed addresses of a URL's host, as URLs have them; at least one.
 * @throws FetchError where the host has no address, or no allowed one
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
    `${found || host} is an address of a private network or of this machine. --allow-private or allow_private allows it, except after a redirect`,
  )
}

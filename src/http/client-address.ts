import { isIPv4 } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * The address that a request without a valid token is counted against.
 *
 * Each proxy appends to X-Forwarded-For the address it was called from. Behind n trusted proxies
 * the n-th entry from the right is therefore what the outermost of them saw, and everything further
 * left was sent by the client and proves nothing. If that entry is absent or is no address, the
 * request did not pass the configured proxies; then every entry may be forged, and the socket's
 * address is the only one that the client cannot choose. Such clients share one window, which fails
 * closed, and never refuses a valid token.
 *
 * A client that has one IPv6 address usually has its /64, so an IPv6 address is reduced to that
 * network.
 *
 * @param forwardedFor the header's value, several headers joined by commas, or null for none
 * @param trustedProxies how many proxies stand in front of this service, none of which can be bypassed
 * @returns `192.0.2.1`, `2001:db8:0:1::/64`, or a socket's address that is neither, unchanged
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: number,
): string {
  const entries = trustedProxies > 0 ? (forwardedFor?.split(",") ?? []) : []
  const reported = entries.at(-trustedProxies) ?? ""
  return toNetwork(reported) ?? toNetwork(socketAddress) ?? socketAddress
}

/** The longest text that can be an address: IPv6 with IPv4 at its end, a zone, brackets and a port. */
const longestAddress = 100

function toNetwork(entry: string): string | undefined {
  const text = entry.trim()
  if (text.length > longestAddress) return undefined
  const address = bareAddress(text)
  // Strictly: `010.1` and `0x7f000001` are addresses to some programs and not to others.
  if (isIPv4(address)) return address
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const ipv6 = ipaddr.IPv6.parse(address)
  if (ipv6.isIPv4MappedAddress()) return ipv6.toIPv4Address().toString()
  const network = ipv6.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}

/**
 * Without brackets, port and the prefix of IPv4: `[fe80::1%eth0]:443` is `fe80::1%eth0`, and
 * `192.0.2.1:80` and `::ffff:192.0.2.1` are `192.0.2.1`.
 */
function bareAddress(text: string): string {
  const [, bracketed, ipv4] =
    /^\[([^\]]*)\](?::\d+)?$|^(?:::ffff:)?((?:\d+\.){3}\d+)(?::\d+)?$/i.exec(text) ?? []
  return bracketed ?? ipv4 ?? text
}

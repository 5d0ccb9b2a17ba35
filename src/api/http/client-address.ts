import { isIPv4 } from "node:net"
import ipaddr from "ipaddr.js"

/**
 * Returns the address whose window counts requests without a valid token.
 *
 * Each proxy appends the address of its caller to X-Forwarded-For. Behind n trusted proxies the n-th entry
 * from the right is therefore the caller of the outermost proxy, and the client may have forged all entries
 * further left. If that entry is missing or is not an address, the request did not pass the configured proxies,
 * and only the address of the socket can be trusted. Such clients share one window. No window rejects a
 * valid token.
 *
 * A client usually controls the whole /64 of its IPv6 address, so the result is that network.
 *
 * @param forwardedFor the header's value, several headers joined by commas, or null for none
 * @param trustedProxies the number of proxies in front of this service; clients cannot bypass them
 * @returns `192.0.2.1`, `2001:db8:0:1::/64`, or any other socket address unchanged
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

/** The maximum length of an address: IPv6 with IPv4 at its end, a zone, brackets and a port. */
const longestAddress = 100

function toNetwork(entry: string): string | undefined {
  const text = entry.trim()
  if (text.length > longestAddress) return undefined
  const address = bareAddress(text)
  // Some programs also read `010.1` and `0x7f000001` as addresses.
  if (isIPv4(address)) return address
  if (!ipaddr.IPv6.isValid(address)) return undefined
  const ipv6 = ipaddr.IPv6.parse(address)
  if (ipv6.isIPv4MappedAddress()) return ipv6.toIPv4Address().toString()
  const network = ipv6.parts.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}

/**
 * Removes brackets, port and the prefix of IPv4: `[fe80::1%eth0]:443` becomes `fe80::1%eth0`, and
 * `192.0.2.1:80` and `::ffff:192.0.2.1` become `192.0.2.1`.
 */
function bareAddress(text: string): string {
  const [, bracketed, ipv4] =
    /^\[([^\]]*)\](?::\d+)?$|^(?:::ffff:)?((?:\d+\.){3}\d+)(?::\d+)?$/i.exec(text) ?? []
  return bracketed ?? ipv4 ?? text
}

import { isIP } from "node:net"

/**
 * The address that a request without a valid token is counted against.
 *
 * Each proxy appends to X-Forwarded-For the address it was called from. Behind n trusted proxies
 * the n-th entry from the right is therefore what the outermost of them saw, and all that stands
 * further left was sent by the caller and proves nothing. If that entry is absent or is no address,
 * the request did not come the configured way; then every entry may be the caller's invention, and
 * the socket's address is the only one that it can't choose. Such callers share one window: it
 * fails closed, and never refuses a valid token.
 *
 * Who holds one IPv6 address holds its /64, so an IPv6 address is reduced to that network.
 *
 * @param forwardedFor the header's value, several headers joined by commas, or null for none
 * @param trustedProxies how many proxies stand in front of this service, none of which can be bypassed
 * @returns `192.0.2.1`, `2001:db8:0:1::/64`, or a socket's address that is neither as it is
 */
export function clientAddress(
  socketAddress: string,
  forwardedFor: string | null,
  trustedProxies: number,
): string {
  const reported = entryFromRight(forwardedFor ?? "", trustedProxies)
  return toNetwork(reported) ?? toNetwork(socketAddress) ?? socketAddress
}

/** The `position`-th of the entries separated by commas, counted from 1 at the right, or "". */
function entryFromRight(list: string, position: number): string {
  let end = list.length
  for (let skipped = 1; skipped < position; skipped++) {
    end = list.lastIndexOf(",", end - 1)
    if (end <= 0) return ""
  }
  return position < 1 ? "" : list.slice(list.lastIndexOf(",", end - 1) + 1, end)
}

function toNetwork(text: string): string | undefined {
  const address = bareAddress(text.trim())
  switch (isIP(address)) {
    case 4:
      // Put together anew: a piece cut out of a header would keep all of that in memory.
      return address.split(".").join(".")
    case 6:
      return networkOfIPv6(address)
    default:
      return undefined
  }
}

/** Without brackets, port and zone: `[fe80::1%eth0]:443` is `fe80::1`, `192.0.2.1:80` is `192.0.2.1`. */
function bareAddress(text: string): string {
  const [, bracketed, ipv4WithPort] = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(text) ?? []
  const address = bracketed ?? ipv4WithPort ?? text
  const zoneStart = address.indexOf("%")
  return zoneStart === -1 ? address : address.slice(0, zoneStart)
}

function networkOfIPv6(address: string): string {
  const groups = groupsOf(address)
  const isMappedIPv4 = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMappedIPv4) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".")
  }
  const network = groups.slice(0, 4).map((group) => group.toString(16))
  return `${network.join(":")}::/64`
}

/** The eight 16-bit groups of an IPv6 address that is known to be valid. */
function groupsOf(address: string): number[] {
  const [left = "", right] = address.split("::")
  const head = parseGroups(left)
  if (right === undefined) return head
  const tail = parseGroups(right)
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function parseGroups(text: string): number[] {
  if (text === "") return []
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)]
    // The last 32 bits may be written as IPv4.
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

/** Addresses of the public internet, of private networks and of this machine. */
import ipaddr from "ipaddr.js"

/** Whether an address is one of the public internet. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== "unicast") return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast)
}

/** The public range of IPv6: others are reserved, or may represent an address of IPv4. */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3")

/** Whether an address is one of a private network or of this machine. Link-local addresses serve machines of a cloud, and are neither. */
export const isPrivateAddress = (address: string): boolean =>
  ipaddr.isValid(address) && privateRanges.includes(ipaddr.process(address).range())

const privateRanges = ["private", "uniqueLocal", "carrierGradeNat", "loopback"]

/** The host of a URL, an IPv6 address without its brackets. */
export const plainHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, "")

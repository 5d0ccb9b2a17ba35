/**
 * Requests to hosts that the operator did not name. They reject addresses of private networks and of this
 * machine, because a redirect or a name server could otherwise lead to services that trust this machine. They
 * resolve a name once and connect to the very addresses that they checked.
 */
import { lookup } from "node:dns/promises"
import ipaddr from "ipaddr.js"
import { codeOf } from "../../system/text/error-code.ts"
import { isPublicAddress, plainHost } from "../../system/text/ip-address.ts"
import { FetchError } from "./fetch-error.ts"

/** Whether the host of a URL may be public: it is a public address, or a name with a dot. */
export function mayBePublic(url: URL): boolean {
  const host = plainHost(url)
  return ipaddr.isValid(host) ? isPublicAddress(host) : host.includes(".")
}

export type PublicRequest = BunFetchRequestInit & { headers: Readonly<Record<string, string>> }

/**
 * Fetches from the first public address of the URL's host that responds. `Host` and the server name of TLS have
 * the name, so that TLS checks the certificate for the name.
 * @throws FetchError where the host has no public address; the failure of the last address
 */
export async function fetchPublic(url: URL, request: PublicRequest): Promise<Response> {
  const addresses = await publicAddresses(url)
  const named = {
    ...request,
    headers: { ...request.headers, Host: url.host },
    ...(!addresses.includes(url.hostname) && { tls: { serverName: url.hostname } }),
  }
  let failure: unknown
  for (const address of addresses) {
    const resolved = new URL(url)
    resolved.hostname = address
    try {
      return await fetch(resolved, named)
    } catch (error) {
      if (request.signal?.aborted) throw error
      failure = error
    }
  }
  throw failure
}

/** As URLs have them; at least one. @throws FetchError */
async function publicAddresses(url: URL): Promise<string[]> {
  const host = plainHost(url)
  const resolved = await lookup(host, { all: true }).catch((error: unknown) => {
    const isTemporary = codeOf(error) === "EAI_AGAIN" || codeOf(error) === "DNS_ETIMEOUT"
    throw new FetchError(url, "its host has no known address", { isTemporary })
  })
  const found = resolved.filter(({ address }) => isPublicAddress(address))
  if (found.length === 0) {
    const addresses = resolved.map(({ address }) => address).join(", ") || host
    throw new FetchError(url, `${addresses} is an address of a private network or of this machine`)
  }
  return found.map(({ address, family }) => (family === 6 ? `[${address}]` : address))
}

/**
 * One GET with its allowed redirects. The URL of each connection has a checked address; `Host` and the server
 * name of TLS have the name, so that TLS checks the certificate for the name.
 */
import { codeOf } from "../../system/text/error-code.ts"
import { FetchError } from "./fetch-error.ts"
import type { Limits } from "./limits.ts"
import { resolveAddresses } from "./public-address.ts"

// A proxy would resolve names by itself.
process.env.NO_PROXY = "*"

/** How to reach the servers of one source. */
export interface Access {
  userAgent: string
  /** Sent only to the host of the first URL. */
  headers: Readonly<Record<string, string>>
  /** The first URL may be of a private network or of this machine. */
  allowPrivate: boolean
  limits: Limits
  /** Ends all requests, with the reason that is then thrown. */
  signal: AbortSignal
}

export interface Received {
  /** After redirects. */
  url: URL
  status: number
  headers: Headers
  /** Without the compression of the transfer. A response that is cut off throws. */
  body: AsyncGenerator<Uint8Array>
  /** Closes the connection. */
  close: () => void
}

const redirects = [301, 302, 303, 307, 308]
const maxRedirects = 5

/** @throws FetchError without a response, or for a redirect that is not allowed */
export async function get(
  url: URL,
  access: Access,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Received> {
  let current = url
  for (let followed = 0; ; followed++) {
    const isFirstHost = current.host === url.host
    // Credentials and permissions apply to the first host only.
    const allowed = isFirstHost ? access : { ...access, headers: {}, allowPrivate: false }
    const response = await send(current, allowed, conditions)
    const location = response.headers.get("location")
    if (!redirects.includes(response.status) || location === null) return response
    response.close()
    if (followed === maxRedirects) {
      throw new FetchError(url, `it is redirected more than ${maxRedirects} times`)
    }
    current = redirectTarget(current, location, url)
  }
}

/**
 * Redirects may point to any host over https, and over http only from http to the first host.
 * @throws FetchError where `location` is not allowed
 */
export function redirectTarget(from: URL, location: string, first: URL): URL {
  const to = URL.parse(location, from.href)
  const isPlain = to?.protocol === "http:" && from.protocol === "http:" && to.host === first.host
  if (to && !to.username && !to.password && (isPlain || to.protocol === "https:")) return to
  const target = to?.host || "no http or https address"
  throw new FetchError(from, `it is redirected to ${target} without encryption or with a password`)
}

async function send(
  url: URL,
  { userAgent, headers, allowPrivate, limits: { silenceMs }, signal: ofSource }: Access,
  conditions: Readonly<Record<string, string>>,
): Promise<Received> {
  const addresses = await resolveAddresses(url, allowPrivate)
  const ending = new AbortController()
  const signal = AbortSignal.any([ofSource, ending.signal])
  const silence = setTimeout(() => {
    const reason = `it sent nothing for ${silenceMs / 1000} s`
    ending.abort(new FetchError(url, reason, { isTemporary: true }))
  }, silenceMs)
  const close = () => {
    clearTimeout(silence)
    ending.abort()
  }
  const failure = (error: unknown) => (signal.aborted ? signal.reason : requestError(url, error))
  const request = {
    headers: { ...headers, ...conditions, "User-Agent": userAgent, Host: url.host },
    ...(!addresses.includes(url.hostname) && { tls: { serverName: url.hostname } }),
    redirect: "manual",
    keepalive: false,
    signal,
  } as const
  try {
    const response = await fetchFromFirst(addresses, url, request)
    silence.refresh()
    const { status, headers: received } = response
    return { url, status, headers: received, body: bodyOf(response), close }
  } catch (error) {
    const reason = failure(error)
    close()
    throw reason
  }

  async function* bodyOf({ body }: Response): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body ?? []) {
        silence.refresh()
        yield chunk
      }
    } catch (error) {
      throw failure(error)
    } finally {
      close()
    }
  }
}

/** From the first of the addresses that responds. @throws the failure of the last */
async function fetchFromFirst(
  [address = "", ...others]: readonly string[],
  url: URL,
  request: BunFetchRequestInit,
): Promise<Response> {
  const resolved = new URL(url)
  resolved.hostname = address
  try {
    return await fetch(resolved, request)
  } catch (error) {
    if (others.length === 0 || request.signal?.aborted) throw error
    return fetchFromFirst(others, url, request)
  }
}

function requestError(url: URL, error: unknown): FetchError {
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  // Bun's message contains the whole URL, whose query may have a secret.
  const withoutUrl = message.replace(/ fetching ".*/s, "")
  const reason = /^(Zlib|Brotli|Zstd)/.test(code)
    ? corrupt
    : code === "ECONNRESET"
      ? cutOff
      : withoutUrl
  return new FetchError(url, reason, { isTemporary: true })
}

const corrupt = "its compressed data is truncated or corrupt"
const cutOff = "the connection was cut off"

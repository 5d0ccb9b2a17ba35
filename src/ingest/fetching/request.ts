/**
 * One GET with its allowed redirects. The operator names the first host, which may be of a private network;
 * another host must be public. Bun uses the proxies of the environment.
 */
import { codeOf } from "../../system/text/error-code.ts"
import { FetchError } from "./fetch-error.ts"
import type { Limits } from "./limits.ts"
import { fetchPublic, type PublicRequest } from "./public-address.ts"

/** How to reach the servers of one source. */
export interface Access {
  userAgent: string
  /** Sent only to the host of the first URL. */
  headers: Readonly<Record<string, string>>
  limits: Limits
  /** Ends all requests, with the reason that is then thrown. */
  signal: AbortSignal
}

export type Received = Awaited<ReturnType<typeof send>>

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
    const response = await (current.host === url.host
      ? send(current, access, conditions, fetch)
      : send(current, { ...access, headers: {} }, conditions, fetchPublic))
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
  { userAgent, headers, limits: { silenceMs }, signal: ofSource }: Access,
  conditions: Readonly<Record<string, string>>,
  connect: (url: URL, request: PublicRequest) => Promise<Response>,
) {
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
  try {
    const response = await connect(url, {
      headers: { ...headers, ...conditions, "User-Agent": userAgent },
      redirect: "manual",
      keepalive: false,
      signal,
    })
    silence.refresh()
    const { status, headers: received } = response
    /** `url` is that after redirects. A body that is cut off throws. `close` closes the connection. */
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

function requestError(url: URL, error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const message = error instanceof Error ? error.message : String(error)
  const code = codeOf(error)
  // Bun's message contains the whole URL, whose query may have a secret.
  const withoutUrl = message.replace(/ fetching ".*/s, "")
  const reason = /^(Zlib|Brotli|Zstd)/.test(code)
    ? "its compressed data is truncated or corrupt"
    : (reasons[code] ?? withoutUrl)
  return new FetchError(url, reason, { isTemporary: code !== "ENOTFOUND" })
}

const reasons: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was cut off",
  ENOTFOUND: "its host has no known address",
}

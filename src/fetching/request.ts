/**
 * One GET and the redirects that may be followed. Each connection is made to an address that has been
 * checked, under the certificate of the host's name. Bun's `fetch` does not say which address it
 * connects to; the client of `node:http` takes it from us.
 */
import { type IncomingHttpHeaders, type IncomingMessage, request as plain } from "node:http"
import { request as encrypted } from "node:https"
import { codeOf } from "../text/error-code.ts"
import { withinLimit } from "./deadline.ts"
import { FetchError } from "./fetch-error.ts"
import type { Limits } from "./limits.ts"
import { resolveAddresses } from "./public-address.ts"

/** How to reach the servers of one source. */
export interface Access {
  userAgent: string
  /** Sent to the origin of the first URL alone. */
  headers: Readonly<Record<string, string>>
  /** Hosts, with their port where it is not the usual one, to which redirects may lead too. */
  redirectHosts: readonly string[]
  /** Connects to private networks and this machine too. */
  allowPrivate: boolean
  limits: Limits
  /** Ends all requests, with the reason that is then thrown. */
  signal: AbortSignal
}

export interface Response {
  /** After redirects. */
  url: URL
  status: number
  headers: IncomingHttpHeaders
  /** As transferred, so perhaps compressed. A response that is cut off throws. */
  body: AsyncGenerator<Uint8Array>
  /** Closes the connection. */
  close: () => void
}

const redirects = [301, 302, 303, 307, 308]

/** @throws FetchError where there is no response, or a redirect that may not be followed */
export async function get(
  url: URL,
  access: Access,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Response> {
  let current = url
  for (let followed = 0; ; followed++) {
    // Credentials of one origin are not another's.
    const own = current.origin === url.origin ? { ...access.headers, ...conditions } : conditions
    const response = await send(current, access, own)
    const { location } = response.headers
    if (!redirects.includes(response.status) || location === undefined) return response
    response.close()
    if (followed === access.limits.redirects) {
      throw new FetchError(url, `it is redirected more than ${access.limits.redirects} times`)
    }
    current = redirectTarget(current, location, url, access.redirectHosts)
  }
}

/** @throws FetchError where `location` may not be followed */
export function redirectTarget(
  from: URL,
  location: string,
  first: URL,
  redirectHosts: readonly string[],
): URL {
  const to = URL.parse(location, from.href)
  if (!to || !/^https?:$/.test(to.protocol)) {
    throw new FetchError(from, "it is redirected to something that is no http or https address")
  }
  if (from.protocol === "https:" && to.protocol === "http:") {
    throw new FetchError(from, `it is redirected to ${to.host} without encryption`)
  }
  if (to.username || to.password) {
    throw new FetchError(from, "it is redirected to an address with a user or password")
  }
  const isAllowed = redirectHosts.some((host) => host.toLowerCase() === to.host)
  if (!isAllowed && to.origin !== first.origin && !isEncrypted(first, to)) {
    throw new FetchError(
      from,
      `it is redirected to ${to.host}, which is not allowed unless redirect_hosts names it`,
    )
  }
  return to
}

/** Whether one is the other, only with encryption, on the usual ports. */
const isEncrypted = (first: URL, to: URL): boolean =>
  to.protocol === "https:" && to.host === first.host && to.port === "" && first.port === ""

async function send(
  url: URL,
  { userAgent, allowPrivate, limits, signal }: Access,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  signal.throwIfAborted()
  const late = () =>
    new FetchError(url, `no response within ${limits.headersMs / 1000} s`, { isTemporary: true })
  const resolving = resolveAddresses(url, allowPrivate)
  const resolved = await withinLimit(resolving, limits.headersMs, signal, late)
  const request = (url.protocol === "https:" ? encrypted : plain)(url, {
    agent: false,
    lookup: (_, { all }, callback) =>
      all ? callback(null, resolved) : callback(null, resolved[0].address, resolved[0].family),
    headers: { "User-Agent": userAgent, Accept: "*/*", "Accept-Encoding": "gzip", ...headers },
  })
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    request.once("response", (message) => {
      // Here, as the wait for it may just have ended. The reader of the body sees a failure; after it
      // has stopped reading, nobody has to.
      message.on("error", () => {})
      resolve(message)
    })
    request.on("error", (error) => reject(connectionError(url, error)))
  })
  request.end()
  const close = () => {
    request.destroy()
  }
  try {
    const message = await withinLimit(responding, limits.headersMs, signal, late)
    const { statusCode: status = 0, headers: received } = message
    const body = chunksOf(message, url, limits, signal, close)
    return { url, status, headers: received, body, close }
  } catch (error) {
    close()
    throw error
  }
}

async function* chunksOf(
  message: IncomingMessage,
  url: URL,
  { idleMs }: Limits,
  signal: AbortSignal,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  const late = () =>
    new FetchError(url, `it sent nothing for ${idleMs / 1000} s`, { isTemporary: true })
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await withinLimit(chunks.next(), idleMs, signal, late)
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    throw error instanceof FetchError || signal.aborted ? error : connectionError(url, error)
  } finally {
    close()
  }
}

/** Failures that a retry does not change: those of certificates. */
const isLasting = (code: string): boolean => /CERT|TLS|SSL|SELF_SIGNED/.test(code)

function connectionError(url: URL, error: unknown): FetchError {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : String(error)
  if (code === "HPE_HEADER_OVERFLOW") return new FetchError(url, "its headers are too large")
  return new FetchError(url, reasonFor(code, message), { isTemporary: !isLasting(code) })
}

function reasonFor(code: string, message: string): string {
  if (code === "ECONNRESET") return "the connection was cut off"
  if (code.startsWith("HPE_")) return `it does not answer in HTTP/1.1 (${message})`
  return message || code
}

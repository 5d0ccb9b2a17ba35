/**
 * One GET and the redirects that may be followed. Each connection is made to an address that has been
 * checked, under the certificate of the host's name. Bun's `fetch` does not say which address it
 * connects to; the client of `node:http` takes it from us.
 */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plain,
} from "node:http"
import { request as encrypted } from "node:https"
import { pipeline } from "node:stream"
import { createGunzip } from "node:zlib"
import { codeOf } from "../text/error-code.ts"
import { FetchError } from "./fetch-error.ts"
import type { Limits } from "./limits.ts"
import { resolveAddresses } from "./public-address.ts"

/** How to reach the servers of one source. */
export interface Access {
  userAgent: string
  /** Sent to the host of the first URL alone. */
  headers: Readonly<Record<string, string>>
  /** The first URL may be of a private network or of this machine. */
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
  /** Without the compression of the transfer. A response that is cut off throws. */
  body: AsyncGenerator<Uint8Array>
  /** Closes the connection. */
  close: () => void
}

const redirects = [301, 302, 303, 307, 308]
const maxRedirects = 5

/** @throws FetchError where there is no response, or a redirect that may not be followed */
export async function get(
  url: URL,
  access: Access,
  conditions: Readonly<Record<string, string>> = {},
): Promise<Response> {
  let current = url
  for (let followed = 0; ; followed++) {
    const isFirstHost = current.host === url.host
    // Neither credentials nor permissions of one host are another's.
    const allowed = isFirstHost ? access : { ...access, headers: {}, allowPrivate: false }
    const response = await send(current, allowed, conditions)
    const { location } = response.headers
    if (!redirects.includes(response.status) || location === undefined) return response
    response.close()
    if (followed === maxRedirects) {
      throw new FetchError(url, `it is redirected more than ${maxRedirects} times`)
    }
    current = redirectTarget(current, location, url)
  }
}

/**
 * A redirect leads to any host over https, and without encryption only to the first host, unless it
 * was reached with it.
 * @throws FetchError where `location` may not be followed
 */
export function redirectTarget(from: URL, location: string, first: URL): URL {
  const to = URL.parse(location, from.href)
  if (!to || !/^https?:$/.test(to.protocol)) {
    throw new FetchError(from, "it is redirected to something that is no http or https address")
  }
  if (to.username || to.password) {
    throw new FetchError(from, "it is redirected to an address with a user or password")
  }
  if (to.protocol === "http:" && (from.protocol === "https:" || to.host !== first.host)) {
    throw new FetchError(from, `it is redirected to ${to.host} without encryption`)
  }
  return to
}

async function send(
  url: URL,
  { userAgent, headers, allowPrivate, limits: { silenceMs }, signal }: Access,
  conditions: Readonly<Record<string, string>>,
): Promise<Response> {
  const resolved = await resolveAddresses(url, allowPrivate)
  signal.throwIfAborted()
  const request = (url.protocol === "https:" ? encrypted : plain)(url, {
    agent: false,
    lookup: (_, { all }, callback) =>
      all ? callback(null, resolved) : callback(null, resolved[0].address, resolved[0].family),
    headers: {
      ...headers,
      ...conditions,
      "User-Agent": userAgent,
      Accept: "*/*",
      "Accept-Encoding": "gzip",
    },
  })
  let waiting: ClientRequest | IncomingMessage = request
  const end = (reason: Error) => waiting.destroy(reason)
  const onAbort = () => end(signal.reason)
  const silence = setTimeout(() => {
    const what = waiting === request ? "no response within" : "it sent nothing for"
    end(new FetchError(url, `${what} ${silenceMs / 1000} s`, { isTemporary: true }))
  }, silenceMs)
  const close = () => {
    clearTimeout(silence)
    signal.removeEventListener("abort", onAbort)
    request.destroy()
  }
  signal.addEventListener("abort", onAbort)
  try {
    const message = await new Promise<IncomingMessage>((resolve, reject) => {
      request.once("response", (received) => {
        // An error after the last read must not be unhandled, which would end the process.
        waiting = received.on("error", () => {})
        resolve(received)
      })
      request.on("error", reject)
      request.end()
    })
    silence.refresh()
    const { statusCode: status = 0, headers: received } = message
    return { url, status, headers: received, body: bodyOf(message), close }
  } catch (error) {
    close()
    throw signal.aborted ? signal.reason : requestError(url, error)
  }

  async function* bodyOf(message: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      yield* decoded(chunksOf(message), url, message.headers["content-encoding"])
    } catch (error) {
      throw signal.aborted ? signal.reason : requestError(url, error)
    } finally {
      close()
    }
  }

  async function* chunksOf(message: AsyncIterable<Uint8Array>) {
    for await (const chunk of message) {
      silence.refresh()
      yield chunk
    }
  }
}

function decoded(
  chunks: AsyncIterable<Uint8Array>,
  url: URL,
  coding = "identity",
): AsyncIterable<Uint8Array> {
  if (/^(x-)?gzip$/i.test(coding)) return pipeline(chunks, createGunzip(), () => {})
  if (coding === "" || coding === "identity") return chunks
  throw new FetchError(url, `it is encoded as ${coding}, although only gzip is accepted`)
}

function requestError(url: URL, error: unknown): FetchError {
  if (error instanceof FetchError) return error
  const code = codeOf(error)
  const message = error instanceof Error ? error.message || code : String(error)
  const reason = code.startsWith("Z_") ? corrupt : code === "ECONNRESET" ? cutOff : message
  return new FetchError(url, reason, { isTemporary: true })
}

const corrupt = "its compressed data is truncated or corrupt"
const cutOff = "the connection was cut off"

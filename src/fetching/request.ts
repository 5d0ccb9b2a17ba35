/**
 * One GET and the redirects that may be followed. Each connection is made to an address that has been
 * checked, under the certificate of the host's name. Bun's `fetch` does not say which address it
 * connects to; the client of `node:http` takes it from us.
 */
import { type IncomingHttpHeaders, type IncomingMessage, request as plain } from "node:http"
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
  { userAgent, headers, allowPrivate, limits, signal }: Access,
  conditions: Readonly<Record<string, string>>,
): Promise<Response> {
  signal.throwIfAborted()
  const silence = `no response within ${limits.silenceMs / 1000} s`
  const late = () => new FetchError(url, silence, { isTemporary: true })
  const resolving = resolveAddresses(url, allowPrivate)
  const resolved = await withinLimit(resolving, limits.silenceMs, signal, late)
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
    const message = await withinLimit(responding, limits.silenceMs, signal, late)
    const { statusCode: status = 0, headers: received } = message
    const chunks = chunksOf(message, url, limits, signal, close)
    const body = decoded(chunks, url, received["content-encoding"])
    return { url, status, headers: received, body, close }
  } catch (error) {
    close()
    throw error
  }
}

async function* chunksOf(
  message: IncomingMessage,
  url: URL,
  { silenceMs }: Limits,
  signal: AbortSignal,
  close: () => void,
): AsyncGenerator<Uint8Array> {
  const late = () =>
    new FetchError(url, `it sent nothing for ${silenceMs / 1000} s`, { isTemporary: true })
  const chunks: AsyncIterator<Uint8Array> = message[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await withinLimit(chunks.next(), silenceMs, signal, late)
      if (next.done) return
      yield next.value
    }
  } catch (error) {
    throw error instanceof FetchError || signal.aborted ? error : connectionError(url, error)
  } finally {
    close()
  }
}

async function* decoded(chunks: AsyncGenerator<Uint8Array>, url: URL, coding = "identity") {
  try {
    if (/^(x-)?gzip$/i.test(coding)) return yield* pipeline(chunks, createGunzip(), () => {})
    if (coding === "" || coding === "identity") return yield* chunks
    throw new FetchError(url, `it is encoded as ${coding}, although only gzip is accepted`)
  } catch (error) {
    if (!codeOf(error).startsWith("Z_")) throw error
    const reason = "its compressed data is truncated or corrupt"
    throw new FetchError(url, reason, { isTemporary: true })
  } finally {
    await chunks.return(undefined)
  }
}

/**
 * The result of `step`, or a rejection with `late()` after `limitMs` or with the signal's reason.
 * The step itself goes on: the caller ends its connection.
 */
async function withinLimit<T>(
  step: Promise<T>,
  limitMs: number,
  signal: AbortSignal,
  late: () => Error,
): Promise<T> {
  // A step that is no longer waited for may fail, which must not be unhandled: that would end the
  // process. This comes first, as the signal may have ended before the step began.
  step.catch(() => {})
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(late()), limitMs)
  const onAbort = () => reject(signal.reason)
  signal.addEventListener("abort", onAbort)
  try {
    return await Promise.race([step, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", onAbort)
  }
}

function connectionError(url: URL, error: unknown): FetchError {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message || code : String(error)
  const reason = code === "ECONNRESET" ? "the connection was cut off" : message
  return new FetchError(url, reason, { isTemporary: true })
}

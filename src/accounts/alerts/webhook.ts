/**
 * Deliveries to webhooks, by Standard Webhooks 1.0 (https://www.standardwebhooks.com). Anyone with an account names
 * a receiver, so each attempt resolves its host once, checks all addresses, and connects to exactly these.
 */
import type { LookupAddress } from "node:dns"
import http from "node:http"
import https from "node:https"
import type { LookupFunction } from "node:net"
import { version } from "../../program.ts"
import { codeOf } from "../../system/text/error-code.ts"
import { isPrivateAddress, isPublicAddress, plainHost } from "../../system/text/ip-address.ts"
import { settleWithin } from "../../system/text/settle-within.ts"
import { dayMs } from "../../system/text/time.ts"
import { AccountError } from "../access/change.ts"
import type { Channel } from "./watch.ts"

export interface Delivery {
  url: string
  /** The newest first; two while the old one is valid. */
  secrets: readonly string[]
  /** Of the event, the same in all attempts, as its body. */
  id: string
  body: string
}

/** The outcome of one attempt. */
export interface Outcome {
  /** Null without a response. */
  status: number | null
  /** Of a failure, for people; null after success. */
  reason: string | null
  /** At most a day. */
  retryAfterMs: number | null
}

/** The settings of these names. */
export interface WebhookSettings {
  WEBHOOK_PRIVATE: boolean
  WEBHOOK_PROXY: string | null
}

export interface WebhookOptions {
  now: () => Date
  settings: WebhookSettings
  /** Of an attempt in all. */
  limitMs?: number
  resolve?: Resolve
}

/** Returns the addresses of a host. */
type Resolve = (host: string) => Promise<LookupAddress[]>

/** The look-up of `node:dns` holds a thread of the process for as long as a name server is silent. */
const lookUp: Resolve = async (host) => Bun.dns.lookup(host, { backend: "c-ares" })

const defaultLimitMs = 15_000
const maxUrlLength = 2_000
/** Of an attempt. Without a limit, a receiver keeps the process busy with them. */
const maxInterimResponses = 100
const prefix = "whsec_"

export const newSecret = (): string =>
  prefix + crypto.getRandomValues(new Uint8Array(32)).toBase64()

/** The signature of a body. @param timestamp in Unix seconds */
export function sign(secret: string, id: string, timestamp: number, body: string): string {
  const key = Uint8Array.fromBase64(secret.slice(prefix.length))
  const hmac = new Bun.CryptoHasher("sha256", key).update(`${id}.${timestamp}.${body}`)
  return `v1,${hmac.digest("base64")}`
}

/** Sends an event once. Never throws. The response's body is not read. */
export function deliver(delivery: Delivery, options: WebhookOptions): Promise<Outcome> {
  const closing = new AbortController()
  const { limitMs = defaultLimitMs } = options
  return settleWithin(limitMs, post(delivery, options, closing.signal), noResponse)
    .catch((error: unknown) => ({ status: null, reason: failureOf(error), retryAfterMs: null }))
    .finally(() => closing.abort())
}

/** @throws the failure of the connection; AccountError */
async function post(
  { url: address, secrets, id, body }: Delivery,
  { now, settings, resolve }: WebhookOptions,
  signal: AbortSignal,
): Promise<Outcome> {
  const { url, addresses } = await checkAddress(address, settings, resolve)
  // An aborted request connects nevertheless.
  signal.throwIfAborted()
  const { Agent, request } = url.protocol === "https:" ? https : http
  const { WEBHOOK_PROXY: proxy } = settings
  const timestamp = Math.floor(now().getTime() / 1000)
  const answered = Promise.withResolvers<http.IncomingMessage>()
  let interimResponses = 0
  request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": `mds/${version}`,
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": secrets.map((secret) => sign(secret, id, timestamp, body)).join(" "),
    },
    signal,
    // Bun's `fetch` would pass over a given proxy for the hosts in the environment's NO_PROXY.
    agent: new Agent({
      proxyEnv: proxy === null ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy },
    }),
    ...(addresses && { lookup: pinned(addresses) }),
  })
    .on("information", () => {
      interimResponses++
      if (interimResponses === maxInterimResponses) answered.reject(new AccountError(neverFinal))
    })
    .on("response", answered.resolve)
    .on("error", answered.reject)
    // The only event after a response that changes the protocol.
    .on("close", () => answered.reject(new AccountError(closed)))
    .end(body)
  const { statusCode: status = 0, headers } = await answered.promise
  const isOk = status >= 200 && status < 300
  return {
    status,
    reason: isOk ? null : statusReason(status, url, headers.location),
    retryAfterMs: [429, 503].includes(status) ? retryAfter(headers["retry-after"], now()) : null,
  }
}

/** Makes a connection use these addresses without a look-up. */
const pinned =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, _options, found) =>
    found(null, addresses)

/**
 * Returns the channel with the URL as it is requested, which has no control characters. It may wait for name servers,
 * so it runs before a change takes its turn.
 * @throws AccountError as `checkAddress`
 */
export async function checkChannel(channel: Channel, settings: WebhookSettings): Promise<Channel> {
  if (channel.kind === "mail") return channel
  const { url } = await checkAddress(channel.url, settings)
  return { kind: "webhook", url: url.href }
}

/**
 * Resolves the host of a webhook, and checks its URL and all its addresses.
 * @returns the addresses unless a proxy finds them
 * @throws AccountError whose message reveals no address
 */
export async function checkAddress(
  text: string,
  { WEBHOOK_PRIVATE: allowsPrivate, WEBHOOK_PROXY: proxy }: WebhookSettings,
  resolve: Resolve = lookUp,
): Promise<{ url: URL; addresses: LookupAddress[] | null }> {
  const url = URL.parse(text)
  const isPlain = url?.protocol === "http:"
  if (!url || !(url.protocol === "https:" || (isPlain && allowsPrivate))) {
    const schemes = allowsPrivate ? "https:// or http://" : "https://"
    throw new AccountError(`The URL of a webhook must begin with ${schemes}`)
  }
  if (url.href.length > maxUrlLength) {
    throw new AccountError(`The URL of a webhook must have at most ${maxUrlLength} characters`)
  }
  if (url.username || url.password) {
    throw new AccountError(
      "The URL of a webhook must not contain a user or password. Verify the signature instead",
    )
  }
  if (proxy !== null) return { url, addresses: null }
  const isAllowed = ({ address }: LookupAddress) =>
    (allowsPrivate && isPrivateAddress(address)) || (!isPlain && isPublicAddress(address))
  // An unknown name and a private one get the same message, which tells nothing about private networks.
  const addresses = await resolve(plainHost(url)).catch(() => [])
  if (addresses.length > 0 && addresses.every(isAllowed)) return { url, addresses }
  const kind = allowsPrivate ? (isPlain ? "private" : "public or private") : "public"
  throw new AccountError(`${url.hostname} has no address, or one that is not ${kind}`)
}

/** A redirect names only its host, because the rest may contain a secret. */
function statusReason(status: number, url: URL, location: string | undefined): string {
  const target = location === undefined ? null : URL.parse(location, url.href)
  return status >= 300 && status < 400 && target
    ? `Redirects to ${target.host || "no host"}. Give the URL that it redirects to`
    : `The receiver returned ${status}`
}

/** Seconds or a date (RFC 9110, section 10.2.3), in milliseconds from now; null if there is neither. */
function retryAfter(text = "", now: Date): number | null {
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, dayMs)
  const ms = text.endsWith(" GMT") ? Date.parse(text) - now.getTime() : Number.NaN
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), dayMs)
}

const noResponse = (limitMs: number) => new AccountError(`No response within ${limitMs / 1000} s`)

const failureOf = (error: unknown): string => {
  if (error instanceof AccountError) return error.message
  const code = codeOf(error)
  // The message of a system error contains an address.
  return reasons[code] ?? `The connection failed (${code})`
}

const closed = "The connection was closed before a response"
const neverFinal = `The receiver sent ${maxInterimResponses} interim responses and no final one`

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "Connection refused",
  ECONNRESET: closed,
  DEPTH_ZERO_SELF_SIGNED_CERT: "The certificate is self-signed",
  ERR_TLS_CERT_ALTNAME_INVALID: "The certificate is for another name",
  ERR_PROXY_TUNNEL: "The proxy did not connect to the receiver",
}

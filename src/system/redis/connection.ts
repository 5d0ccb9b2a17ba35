/**
 * One connection to Redis or Valkey, for decisions that can also be made without it.
 *
 * A timeout, an error reply and a closed connection all mean that Redis is lost. The connection then ends
 * pending calls, and sends no calls until a new connection has written a key. So a read-only replica or a
 * full memory is one loss, not many. Bun's RedisClient has no timeout for commands and stays closed after its
 * last retry: each attempt gets a client that neither queues nor reconnects.
 */
import { RedisClient } from "bun"
import { settleWithin } from "../text/settle-within.ts"

export interface RedisOptions {
  /** `redis:`, `rediss:`, `valkey:` or `valkeys:`; requires RESP3, which Redis supports from version 6 on. */
  url: string
  /** 50 by default: many times the response time of a near Redis, and short enough for a wait in each request. */
  timeoutMs?: number | undefined
  /** Called when Redis does not respond, with the reason, which contains no password. */
  onLost(reason: Error): void
  /** Called when Redis responds again. */
  onBack(): void
}

/** A Lua script, which Redis runs atomically and caches by the SHA-1 of its source. */
export type RedisScript = Readonly<{ source: string; sha1: string }>

export type RedisConnection = ReturnType<typeof connectRedis>

const connectWithinMs = 800
const pauseMs = 500
const clientOptions = { autoReconnect: false, enableOfflineQueue: false }

/** A call never rejects. It resolves to `undefined` if it gets no reply in time. */
export function connectRedis(options: RedisOptions) {
  const { url, timeoutMs = 50, onLost, onBack } = options
  const firstAttempt = Promise.withResolvers<void>()
  /** The client of the last attempt, until it is lost. */
  let opened: RedisClient | undefined
  /** The same client once it accepts calls. */
  let usable: RedisClient | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let isLost = false
  let losses = 0

  const inTime = <T>(reply: Promise<T>, limitMs = timeoutMs): Promise<T> =>
    settleWithin(limitMs, reply, () => new Error(`No response within ${limitMs} ms`))

  async function connect(): Promise<void> {
    const client = new RedisClient(url, clientOptions)
    opened = client
    try {
      await inTime(client.connect(), connectWithinMs).catch(cannotConnect)
      await inTime(ensureUsable(client))
      if (client === opened) use(client)
    } catch (error) {
      markUnavailable(client, error)
    }
    firstAttempt.resolve()
  }

  function use(client: RedisClient): void {
    client.onclose = (error) => markUnavailable(client, error)
    usable = client
    if (isLost) onBack()
    isLost = false
  }

  /**
   * Many calls may fail with the same client, and its close is reported as well: only the first failure
   * counts.
   */
  function markUnavailable(client: RedisClient, reason: unknown): void {
    if (client !== opened) return
    close()
    pause = setTimeout(connect, pauseMs)
    if (isLost) return
    isLost = true
    losses++
    onLost(new Error(`Redis at ${new URL(url).host}: ${messageOf(reason)}`))
  }

  /** Ends pending calls, which resolve undefined. No handler is called afterwards. */
  function close(): void {
    const client = opened
    opened = undefined
    usable = undefined
    clearTimeout(pause)
    client?.close()
  }

  async function call(replyOf: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    const client = usable
    if (!client) return undefined
    try {
      return await inTime(replyOf(client))
    } catch (error) {
      markUnavailable(client, error)
      return undefined
    }
  }

  connect()

  return {
    send: (command: string, ...args: string[]) => call((client) => client.send(command, args)),
    /** Runs a script with one key. */
    run: (script: RedisScript, key: string, ...args: string[]) =>
      call((client) => evaluate(client, script, key, args)),
    /** Whether calls are sent. */
    get isResponding() {
      return usable !== undefined
    },
    /** The number of calls of `onLost`. */
    get losses() {
      return losses
    },
    /** Resolves when the first attempt to connect has succeeded or failed, within about a second. */
    ready: firstAttempt.promise,
    close,
  }
}

/** The client reports every failure to connect as a closed connection. */
function cannotConnect(): never {
  const checks =
    "the address, the user and the password in REDIS_URL, and with rediss:// the certificate"
  throw new Error(`Cannot connect: check that Redis runs, and ${checks}`)
}

/** @throws Error where the server is part of a cluster or a Sentinel, or is read-only */
async function ensureUsable(client: RedisClient): Promise<void> {
  // Without arguments it changes nothing, and any user may run it.
  const { mode }: { mode?: string } = await client.send("HELLO", [])
  if (mode !== "standalone") throw new Error(`A ${mode} is not supported; name a single primary`)
  await client.send("SET", ["mds:probe", "1", "PX", "1000"])
}

export const redisScript = (source: string): RedisScript => ({
  source,
  sha1: Bun.CryptoHasher.hash("sha1", source, "hex"),
})

/** Sends the source only if the server does not have it, so that a call usually costs one round trip. */
async function evaluate(
  client: RedisClient,
  { source, sha1 }: RedisScript,
  key: string,
  args: readonly string[],
): Promise<unknown> {
  const rest = ["1", key, ...args]
  try {
    return await client.send("EVALSHA", [sha1, ...rest])
  } catch (error) {
    if (!messageOf(error).startsWith("NOSCRIPT")) throw error
    return client.send("EVAL", [source, ...rest])
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "")

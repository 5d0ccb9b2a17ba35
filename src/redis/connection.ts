/**
 * One connection to Redis or Valkey, for decisions that can also be made without it: a call gets its
 * reply within a short time, or `undefined`.
 *
 * A timeout, an error reply and a closed connection all mean that Redis is lost. Pending calls then
 * end, and later calls resolve `undefined` without being sent, until a new connection has written a
 * key. So a read-only replica or a full memory is one loss, not many.
 *
 * Bun's RedisClient has no timeout for commands, and stays closed after its last retry. Each attempt
 * therefore gets a client of its own, which neither queues nor reconnects.
 */
import { setTimeout as sleep } from "node:timers/promises"
import { RedisClient } from "bun"
import { unlessSilent } from "../text/unless-silent.ts"

export interface RedisOptions {
  /** `redis:`, `rediss:`, `valkey:` or `valkeys:`; requires RESP3, which Redis supports from version 6 on. */
  url: string
  answerWithinMs?: number | undefined
  /** Called when Redis does not answer, with the reason, which contains no password. */
  onLost(reason: Error): void
  /** Called when Redis answers again. */
  onBack(): void
}

/** A Lua script, which Redis runs atomically and caches by the SHA-1 of its source. */
export type RedisScript = Readonly<{ source: string; sha1: string }>

export interface RedisConnection {
  /** The reply to a command; undefined without one in time. Never rejects. */
  send(command: string, ...args: string[]): Promise<unknown>
  /** The reply of a script with one key; undefined without one in time. Never rejects. */
  run(script: RedisScript, key: string, ...args: string[]): Promise<unknown>
  /** Whether calls are sent. */
  readonly answering: boolean
  /** How often `onLost` was called. */
  readonly losses: number
  /** Resolves when the first attempt to connect has succeeded or failed, within about a second. */
  readonly ready: Promise<void>
  /** Ends pending calls, which resolve undefined. No handler is called afterwards. */
  close(): void
}

/** Many times what Redis takes in the same data centre, and short enough to wait for on each request. */
const usualAnswerWithinMs = 50
const connectWithinMs = 800
const pauseMs = 500

const clientOptions = {
  connectionTimeout: connectWithinMs,
  autoReconnect: false,
  enableOfflineQueue: false,
}

export function connectRedis(options: RedisOptions): RedisConnection {
  const { url, answerWithinMs = usualAnswerWithinMs, onLost, onBack } = options
  const firstAttempt = Promise.withResolvers<void>()
  let current: { client: RedisClient; isUsable: boolean; end(reason: unknown): void } | undefined
  let isLost = false
  let losses = 0
  let closed = false

  const inTime = <T>(reply: Promise<T>, limitMs = answerWithinMs): Promise<T> =>
    unlessSilent(limitMs, reply, () => new Error(`No answer within ${limitMs} ms`))

  async function keepConnected(): Promise<void> {
    while (!closed) {
      await connectUntilLost()
      firstAttempt.resolve()
      await sleep(pauseMs, undefined, { ref: false })
    }
  }

  async function connectUntilLost(): Promise<void> {
    const ended = Promise.withResolvers<void>()
    const client = new RedisClient(url, clientOptions)
    /** Many calls may fail with the same client, and its close is reported as well. */
    const end = (reason: unknown): void => {
      connection.isUsable = false
      if (!closed) reportLost(reason)
      client.close()
      ended.resolve()
    }
    const connection = { client, isUsable: false, end }
    current = connection
    try {
      await inTime(client.connect(), connectWithinMs).catch(cannotConnect)
      await inTime(ensureUsable(client))
      client.onclose = end
      connection.isUsable = !closed
      firstAttempt.resolve()
      if (isLost && !closed) onBack()
      isLost = false
    } catch (error) {
      end(error)
    }
    return ended.promise
  }

  function reportLost(reason: unknown): void {
    if (isLost) return
    isLost = true
    losses++
    onLost(new Error(`Redis at ${new URL(url).host}: ${messageOf(reason)}`))
  }

  async function call(replyOf: (client: RedisClient) => Promise<unknown>): Promise<unknown> {
    const connection = current
    if (!connection?.isUsable) return undefined
    try {
      return await inTime(replyOf(connection.client))
    } catch (error) {
      connection.end(error)
      return undefined
    }
  }

  keepConnected()

  return {
    send: (command, ...args) => call((client) => client.send(command, args)),
    run: (script, key, ...args) => call((client) => evaluate(client, script, key, args)),
    get answering() {
      return current?.isUsable ?? false
    },
    get losses() {
      return losses
    },
    ready: firstAttempt.promise,
    close: () => {
      closed = true
      current?.end(undefined)
    },
  }
}

/** The client reports every failure to connect as a closed connection. */
function cannotConnect(): never {
  const checks =
    "the address, the user and the password in REDIS_URL, and with rediss:// the certificate"
  throw new Error(`Cannot connect: check that it runs, and ${checks}`)
}

/** @throws Error where the server is part of a cluster or a Sentinel, or cannot be written to */
async function ensureUsable(client: RedisClient): Promise<void> {
  // Without arguments it changes nothing, and any user may send it.
  const { mode }: { mode?: string } = await client.send("HELLO", [])
  if (mode !== "standalone") throw new Error(`A ${mode} is not supported; name a single primary`)
  await client.send("SET", ["mds:probe", "1", "PX", "1000"])
}

export const redisScript = (source: string): RedisScript => ({
  source,
  sha1: Bun.CryptoHasher.hash("sha1", source, "hex"),
})

/** Sends the source only where the server does not have it, so that a call usually costs one round trip. */
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

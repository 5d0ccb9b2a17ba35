/**
 * A connection to Redis or Valkey for decisions that can also be made without it: it answers within a
 * short time, or fails at once.
 *
 * Each call has a timeout. A timeout, an error reply or a closed connection means that Redis is lost:
 * pending calls end, and further calls resolve undefined without being sent, so that only concurrent
 * calls ever wait for a server that hangs. Meanwhile new clients try to connect. Redis is back when one
 * has connected and written a key by a script within the timeout of a call: a read-only replica, a
 * full memory, a missing permission or a slow network would otherwise fail the next call again.
 *
 * A RedisClient of Bun is used for one connection only. It has no timeout for commands, queues them
 * without limit while it is offline, and stays closed once its last reconnection has failed. So each
 * attempt gets a client of its own, which neither queues nor reconnects.
 */
import { RedisClient } from "bun"
import { codeOf } from "../text/error-code.ts"
import { unlessSilent } from "../text/unless-silent.ts"
import { failuresOf, type RedisFailure } from "./failure.ts"
import { loginRefusalOf } from "./login.ts"
import { evaluate, type RedisScript, redisScript } from "./script.ts"
import { ensureSupported, explained, UnsupportedRedis } from "./server-mode.ts"

export interface RedisOptions {
  /** `redis:`, `rediss:`, `valkey:` or `valkeys:`; requires RESP3, which Redis supports from version 6 on. */
  url: string
  /** How long a call may wait for its reply. */
  answerWithinMs: number
  /**
   * Redis has stopped answering, or does not answer from the start. Called once until `onBack`, and once
   * more where it turns out that the server refuses the login.
   */
  onLost(failure: RedisFailure): void
  /** Redis answers again. */
  onBack(): void
}

export interface RedisConnection {
  /** The script's reply; undefined where there is none in time. Never rejects. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Whether calls are sent. */
  readonly answering: boolean
  /** How often `onLost` was called. */
  readonly losses: number
  /** Resolves when the first attempt to connect has succeeded or failed, within about a second. */
  readonly ready: Promise<void>
  /** Why the server that was connected to last can never be used, if so. */
  readonly unsupported: RedisFailure | undefined
  /** Ends pending calls, which resolve undefined. No handler is called afterwards. */
  close(): void
}

const connectWithinMs = 800
const pauseMs = 500
const refusalWithinMs = 500

const clientOptions = {
  connectionTimeout: connectWithinMs,
  autoReconnect: false,
  enableOfflineQueue: false,
}

const probe = redisScript(`return redis.call("SET", KEYS[1], "1", "PX", 1000)`)
const probeKey = "mds:probe"

const replyWithin = <T>(limitMs: number, reply: Promise<T>): Promise<T> =>
  unlessSilent(limitMs, reply, () => new Error(`No answer within ${limitMs} ms`))

export function connectRedis({
  url,
  answerWithinMs,
  onLost,
  onBack,
}: RedisOptions): RedisConnection {
  const failureOf = failuresOf(url)
  const firstAttempt = Promise.withResolvers<void>()
  let current: RedisClient | undefined
  let candidate: RedisClient | undefined
  let pause: ReturnType<typeof setTimeout> | undefined
  let lost = false
  let refusalReported = false
  let unsupported: RedisFailure | undefined
  let losses = 0
  let closed = false

  async function attempt(): Promise<void> {
    try {
      const client = new RedisClient(url, clientOptions)
      candidate = client
      await replyWithin(connectWithinMs, client.connect())
      await replyWithin(answerWithinMs, ensureSupported(client))
      await replyWithin(answerWithinMs, evaluate(client, probe, [probeKey], []))
      if (!closed) take(client)
    } catch (error) {
      candidate?.close()
      if (error instanceof UnsupportedRedis) unsupported = failureOf(error)
      const refusal = await loginRefusal(error)
      if (refusal !== undefined && lost && !closed) onLost(failureOf(refusal))
      lose(refusal ?? error)
    }
    candidate = undefined
    firstAttempt.resolve()
  }

  /** Checked where it may be the reason, until it was reported. */
  async function loginRefusal(error: unknown): Promise<string | undefined> {
    const isClosed = codeOf(error) === "ERR_REDIS_CONNECTION_CLOSED"
    if (closed || refusalReported || !isClosed) return undefined
    const refusal = await loginRefusalOf(url, refusalWithinMs)
    refusalReported = refusal !== undefined
    return refusal
  }

  function take(client: RedisClient): void {
    current = client
    unsupported = undefined
    refusalReported = false
    client.onclose = (error) => dismiss(client, error)
    if (!lost) return
    lost = false
    onBack()
  }

  /** Many calls may fail with the same client, and its close is reported as well: the first counts. */
  function dismiss(client: RedisClient, error: unknown): void {
    if (client !== current) return
    current = undefined
    client.close()
    lose(error)
  }

  function lose(error: unknown): void {
    if (closed) return
    pause = setTimeout(attempt, pauseMs)
    if (lost) return
    lost = true
    losses++
    onLost(failureOf(explained(error)))
  }

  attempt()

  return {
    run: async (script, keys, args) => {
      const client = current
      if (!client) return undefined
      try {
        return await replyWithin(answerWithinMs, evaluate(client, script, keys, args))
      } catch (error) {
        dismiss(client, error)
        return undefined
      }
    },
    get answering() {
      return current !== undefined
    },
    get losses() {
      return losses
    },
    ready: firstAttempt.promise,
    get unsupported() {
      return unsupported
    },
    close: () => {
      closed = true
      clearTimeout(pause)
      const open = [current, candidate]
      current = undefined
      for (const client of open) client?.close()
      firstAttempt.resolve()
    },
  }
}

/**
 * A connection to Redis or Valkey for decisions that can also be taken without it: it answers soon,
 * or says at once that there is no answer.
 *
 * Each call has a limit. The first that misses it, an error reply or the end of the connection means
 * that Redis is lost: whatever is under way ends, and calls resolve undefined without being sent, so
 * that only the calls of one moment ever wait for a server that hangs. Meanwhile a new client is
 * tried over and over. Redis is back when one has connected and written something by a script within
 * the limit of a call: a read-only replica, a full memory, a missing permission or a slow line would
 * otherwise be lost again with the next call.
 *
 * Of Bun's RedisClient we use a single life. It has no limit for a command, waits in its offline queue
 * without end, and stays closed once its last reconnection has failed. So each attempt gets a client
 * of its own, that neither queues nor reconnects.
 */
import { RedisClient } from "bun"
import { answerWithin } from "./answer-within.ts"
import { failuresOf, type RedisFailure } from "./failure.ts"
import { loginRefusalOf } from "./log-in.ts"
import { evaluate, type RedisScript, redisScript } from "./script.ts"

export interface RedisOptions {
  /** `redis:`, `rediss:`, `valkey:` or `valkeys:`; needs a server that speaks RESP3, Redis 6 or later. */
  url: string
  /** How long a call may wait for its answer. */
  answerWithinMs: number
  /**
   * Redis has stopped answering, or does not from the start. Called once until `onBack`, and once more
   * where it turns out meanwhile that the server refuses the log-in.
   */
  onLost(failure: RedisFailure): void
  /** It answers again. */
  onBack(): void
}

export interface RedisConnection {
  /** The script's reply, or undefined where there is none in time. Never rejects. */
  run(script: RedisScript, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Whether calls are sent at all. */
  readonly answering: boolean
  /** How often `onLost` was called. */
  readonly losses: number
  /** Resolves when the first attempt to connect has succeeded or failed, within about a second. */
  readonly ready: Promise<void>
  /** Ends what is under way, undefined. Nothing is left running, and nothing is told any more. */
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
  let refusalTold = false
  let losses = 0
  let closed = false

  async function attempt(): Promise<void> {
    try {
      const client = new RedisClient(url, clientOptions)
      candidate = client
      await answerWithin(connectWithinMs, client.connect())
      await answerWithin(answerWithinMs, evaluate(client, probe, [probeKey], []))
      if (!closed) take(client)
    } catch (error) {
      candidate?.close()
      const refusal = await loginRefusal(error)
      if (refusal !== undefined && lost && !closed) onLost(failureOf(refusal))
      lose(refusal ?? error)
    }
    candidate = undefined
    firstAttempt.resolve()
  }

  /** Asked where it may be the reason, until it was told. */
  async function loginRefusal(error: unknown): Promise<string | undefined> {
    const { code } = error as { code?: unknown }
    if (closed || refusalTold || code !== "ERR_REDIS_CONNECTION_CLOSED") return undefined
    const refusal = await loginRefusalOf(url, refusalWithinMs)
    refusalTold = refusal !== undefined
    return refusal
  }

  function take(client: RedisClient): void {
    current = client
    refusalTold = false
    client.onclose = (error) => dismiss(client, error)
    if (!lost) return
    lost = false
    onBack()
  }

  /** Many calls may fail with the same client, and its end is told as well: the first counts. */
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
    onLost(failureOf(error))
  }

  attempt()

  return {
    run: async (script, keys, args) => {
      const client = current
      if (!client) return undefined
      try {
        return await answerWithin(answerWithinMs, evaluate(client, script, keys, args))
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

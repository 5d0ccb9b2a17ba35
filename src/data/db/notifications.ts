/**
 * Subscribes a serving process to changes of accounts, tokens, watches and releases, with LISTEN.
 *
 * Triggers send the notifications (drizzle/0000_baseline.sql), so changes by SQL send them too. Changes of watches
 * send them by a statement (`alerts/store.ts`). PostgreSQL delivers them after the commit, in commit order.
 *
 * An open connection loses no notification. If the network drops packets silently, a dead connection can
 * look open for long, unless another part calls `markUnavailable`. So subscribers limit the time for which
 * they rely on notifications (`maxStalenessMs`).
 *
 * A subscription needs a session of its own. Subscribing through a transaction pooler fails, because only
 * some notifications would arrive.
 */
import type { Sql } from "postgres"
import { ensureSession, singleConnection } from "./connection.ts"

/** The payload is an account's id, a flush, or empty if any account may have changed. */
export const accessChannel = "mds_access"
/** The payload is empty: the newest release may have changed. */
export const releasesChannel = "mds_releases"
/** The payload is a flush and the process id of the confirming session. */
export const confirmationsChannel = "mds_access_confirmed"
/** The application name of subscribed sessions. */
export const subscriberName = "mds notifications"
export const flushPrefix = "flush "

/** The maximum age of a cached token or newest release, even without a notification. */
export const maxStalenessMs = 30_000

const retryMs = 1_000
/** So that notifications arrive within seconds of the end of an outage. */
const connectTimeoutMs = 3_000

export interface SubscriptionHandlers {
  /** Notifications arrive from now on. Earlier changes may have been missed. */
  onListening: () => void
  /** The account, one of its tokens or one of its watches has changed; undefined for any account. */
  onAccessChange: (accountId: number | undefined) => void
  /** The newest release may have changed. */
  onRelease: () => void
  /** Notifications stop until the next `onListening`. */
  onLost: (error: unknown) => void
}

/** Subscribes until `stop`, and reconnects after each loss of the connection. */
export function subscribeToChanges(url: string, handlers: SubscriptionHandlers) {
  const firstAttempt = Promise.withResolvers<void>()
  /** Undefined between two attempts and after `stop`. */
  let connection: Sql | undefined
  /** The timeout of the attempt, or the delay of the next one. */
  let timer: Timer | undefined
  let isListening = false
  let isReported = false

  function connect(): void {
    const own = singleConnection(url, {
      idle_timeout: 0,
      onclose: () => fail(new Error("The connection was closed")),
      onnotify: (channel, payload) => {
        if (connection !== own) return
        if (channel === releasesChannel) handlers.onRelease()
        else if (payload.startsWith(flushPrefix)) confirm(own, payload).catch(fail)
        else handlers.onAccessChange(payload === "" ? undefined : Number(payload))
      },
    })
    const fail = (error: unknown): void => {
      if (connection === own) markUnavailable(error)
    }
    connection = own
    // The driver would reconnect forever to a server that closes each connection.
    timer = setTimeout(() => {
      markUnavailable(new Error(`No connection to listen on within ${connectTimeoutMs} ms`))
    }, connectTimeoutMs)
    listen(own).then(() => {
      if (connection !== own) return
      clearTimeout(timer)
      isListening = true
      isReported = false
      handlers.onListening()
      firstAttempt.resolve()
    }, fail)
  }

  /** Replaces the connection, which may look open although it is dead. */
  function markUnavailable(error: unknown): void {
    if (!connection) return
    isListening = false
    end(0).catch(() => {})
    firstAttempt.resolve()
    timer = setTimeout(connect, retryMs)
    // Consecutive failures count as one loss.
    if (isReported) return
    isReported = true
    handlers.onLost(error)
  }

  async function end(timeout: number): Promise<void> {
    clearTimeout(timer)
    const ended = connection
    connection = undefined
    await ended?.end({ timeout })
  }

  connect()
  return {
    /** Resolves when the first attempt has succeeded or failed, within some seconds. */
    ready: firstAttempt.promise,
    get listening() {
      return isListening
    },
    markUnavailable,
    stop: async () => {
      firstAttempt.resolve()
      await end(1)
    },
  }
}

async function listen(client: Sql): Promise<void> {
  await ensureSession(client)
  // By a statement, because a name in the URL overrides the option.
  await client`select set_config('application_name', ${subscriberName}, false)`
  await client`listen ${client(accessChannel)}`
  await client`listen ${client(releasesChannel)}`
}

const confirm = (client: Sql, payload: string) =>
  client`select pg_notify(${confirmationsChannel}, ${payload.slice(flushPrefix.length)} || ' ' || pg_backend_pid())`

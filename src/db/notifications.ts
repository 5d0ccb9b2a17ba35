/**
 * Notifies every serving process of changes to accounts, tokens and releases, with LISTEN and NOTIFY.
 *
 * Triggers send the notifications (see the migrations), so that every change is notified, however it
 * was made. PostgreSQL delivers them after the commit, in commit order.
 *
 * No notification is lost while the connection is open, and a closed connection is detected. Where the
 * network drops packets silently that can take long, unless something else reveals that the database does
 * not answer: see `markUnavailable`. So subscribers must bound by themselves how long they rely
 * on having received everything.
 *
 * A subscription needs a session of its own. Behind a transaction pooler, which gives it none,
 * notifications would arrive sometimes: no attempt to subscribe succeeds there.
 */
import type { Sql } from "postgres"
import { ensureSession, NoSession, singleConnection } from "./connection.ts"
import { isForbidden } from "./database-errors.ts"

/** Its payload is an account's id, empty where any account may have changed, or a flush. */
export const changesChannel = "mds_access"
/** Its payload is empty: the newest release may be another. */
export const releasesChannel = "mds_releases"
/** Its payload is a flush and the process id of the session that confirms it. */
export const confirmationsChannel = "mds_access_confirmed"
/** Sessions of this name are subscribed. */
export const subscriberName = "mds notifications"
export const flushPrefix = "flush "

/** No cached token or newest release is used for longer than this, even without a notification. */
export const maxStalenessMs = 30_000

const retryMs = 250
/** A standby allows no LISTEN until it is promoted, and a pooler never does. */
const forbiddenRetryMs = 10_000
/** So that notifications arrive within seconds of the end of an outage. */
const connectTimeoutMs = 3_000

export interface SubscriptionHandlers {
  /** Notifications arrive from now on. Any number of changes may have been missed before. */
  onListening: () => void
  /** The account or one of its tokens has changed; undefined where it may be any account. */
  onChange: (accountId: number | undefined) => void
  /** The newest release may be another. */
  onRelease: () => void
  /** No notification arrives until `onListening` is called again. */
  onLost: (error: unknown) => void
}

/** Subscribes until it is stopped, and reconnects whenever the connection is lost. */
export function subscribeToChanges(url: string, handlers: SubscriptionHandlers) {
  const firstAttempt = Promise.withResolvers<void>()
  /** Undefined between two attempts, and at the end. */
  let connection: Sql | undefined
  /** Ends the attempt, or begins the next. */
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
        else handlers.onChange(payload === "" ? undefined : Number(payload))
      },
    })
    const fail = (error: unknown): void => {
      if (connection === own) markUnavailable(error)
    }
    connection = own
    // The driver reconnects without end to a server that closes each connection at once.
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

  /** Ends the connection, which may be dead although it is open, and begins anew. */
  function markUnavailable(error: unknown): void {
    if (!connection) return
    isListening = false
    end(0).catch(() => {})
    firstAttempt.resolve()
    const isHopeless = isForbidden(error) || error instanceof NoSession
    timer = setTimeout(connect, isHopeless ? forbiddenRetryMs : retryMs)
    // Consecutive failed attempts are reported as one loss.
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
    /** Resolves when the first attempt to subscribe has succeeded or failed, within some seconds. */
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
  // Set by a statement, because a name in the URL takes precedence over an option.
  await client`select set_config('application_name', ${subscriberName}, false)`
  await client`listen ${client(changesChannel)}`
  await client`listen ${client(releasesChannel)}`
}

const confirm = (client: Sql, payload: string) =>
  client`select pg_notify(${confirmationsChannel}, ${payload.slice(flushPrefix.length)} || ' ' || pg_backend_pid())`

/**
 * Notifies every serving process of changes to accounts, tokens and releases, with LISTEN and NOTIFY.
 *
 * Triggers send the notifications (see the migrations), so that every change is notified, however it
 * was made. PostgreSQL delivers them after the commit, in commit order.
 *
 * No notification is lost while the connection is open, and a closed connection is detected. Where the
 * network drops packets silently that can take long, unless something else reveals that the database does
 * not answer: see `lose`. So subscribers must bound by themselves how long they rely
 * on having received everything.
 *
 * A subscription needs a session of its own. Behind a transaction pooler, which gives it none,
 * notifications would arrive sometimes: no attempt to subscribe succeeds there.
 */
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

/** Nothing cached is used for longer than this, even without a notification. */
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

export interface Subscription {
  /** Resolves when the first attempt to subscribe has succeeded or failed, within some seconds. */
  ready: Promise<void>
  /** Ends the connection, which may be dead although it is open, and begins anew. */
  lose(error: unknown): void
  stop(): Promise<void>
}

/** Subscribes until it is stopped, and reconnects whenever the connection is lost. */
export function subscribeToChanges(url: string, handlers: SubscriptionHandlers): Subscription {
  const firstAttempt = Promise.withResolvers<void>()
  let stopped = false
  let lost = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let connection = connect()

  function connect(): Listener {
    return listen(url, {
      onListening: () => {
        if (stopped) return
        lost = false
        handlers.onListening()
        firstAttempt.resolve()
      },
      onChange: handlers.onChange,
      onRelease: handlers.onRelease,
      onLost: (error) => {
        firstAttempt.resolve()
        if (stopped) return
        const pauseMs =
          isForbidden(error) || error instanceof NoSession ? forbiddenRetryMs : retryMs
        retry = setTimeout(() => {
          connection = connect()
        }, pauseMs)
        // Consecutive failed attempts are reported as one loss.
        if (lost) return
        lost = true
        handlers.onLost(error)
      },
    })
  }

  return {
    ready: firstAttempt.promise,
    lose: (error) => connection.lose(error),
    stop: async () => {
      stopped = true
      firstAttempt.resolve()
      clearTimeout(retry)
      await connection.end()
    },
  }
}

interface Listener {
  /** Ends the connection as one that is lost. */
  lose(error: unknown): void
  end(): Promise<void>
}

/** Listens on one connection. Reports its loss once. */
function listen(url: string, handlers: SubscriptionHandlers): Listener {
  let isOpen = true
  // The driver reconnects without end to a server that closes each connection at once.
  const timeout = setTimeout(() => {
    lose(new Error(`No connection to listen on within ${connectTimeoutMs} ms`))
  }, connectTimeoutMs)

  const client = singleConnection(url, {
    idle_timeout: 0,
    onclose: () => lose(new Error("The connection was closed")),
    onnotify: (channel, payload) => {
      if (!isOpen) return
      if (channel === releasesChannel) handlers.onRelease()
      else if (payload.startsWith(flushPrefix))
        confirm(payload.slice(flushPrefix.length)).catch(lose)
      else handlers.onChange(payload === "" ? undefined : Number(payload))
    },
  })
  const confirm = (flush: string) =>
    client`select pg_notify(${confirmationsChannel}, ${flush} || ' ' || pg_backend_pid())`
  ensureSession(client)
    // Set by a statement, because a name in the URL takes precedence over an option.
    .then(() => client`select set_config('application_name', ${subscriberName}, false)`)
    .then(() => client`listen ${client(changesChannel)}`)
    .then(() => client`listen ${client(releasesChannel)}`)
    .then(() => {
      clearTimeout(timeout)
      if (isOpen) handlers.onListening()
    })
    .catch(lose)

  function lose(error: unknown): void {
    if (!isOpen) return
    isOpen = false
    clearTimeout(timeout)
    client.end({ timeout: 0 }).catch(() => {})
    handlers.onLost(error)
  }

  return {
    lose,
    end: async () => {
      isOpen = false
      clearTimeout(timeout)
      await client.end({ timeout: 1 })
    },
  }
}

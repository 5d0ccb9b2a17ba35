/**
 * Tells every serving process at once that an account or a token has changed (LISTEN and NOTIFY).
 *
 * Triggers send the notices (see the migrations), so that no way of changing the tables goes without.
 * PostgreSQL delivers them after the commit and in its order. Who makes a change can therefore wait
 * until it holds everywhere: it sends a flush after its commit, which each process confirms when it
 * comes to it, and by then it has taken in all that came before.
 *
 * A notice can't be lost on a connection that stands. One that falls is noticed, unless the network
 * swallows it without a word; who relies on notices needs a bound of its own for that.
 */
import type { Sql } from "postgres"
import { singleConnection, withConnection } from "./connection.ts"
import { isForbidden } from "./forbidden.ts"

const changed = "mds_access"
const confirmed = "mds_access_confirmed"
const applicationName = "mds notifications"
const flushMark = "flush "

const retryMs = 250
/** A standby lets nobody listen until it is promoted. */
const forbiddenRetryMs = 10_000
const connectWithinMs = 5_000
const confirmWithinMs = 2_000

export interface SubscriptionHandlers {
  /** Notices come from now on. Of what came before nothing is known. */
  onListening: () => void
  /** The account's data or tokens have changed; undefined where it may be any account's. */
  onChange: (accountId: number | undefined) => void
  /** No notice comes any more, or none yet, until `onListening` is called. */
  onLost: (error: unknown) => void
}

export interface Subscription {
  /** Resolves when the first attempt to listen has succeeded or failed, within some seconds. */
  ready: Promise<void>
  stop(): Promise<void>
}

/** Listens until it is stopped, on a connection that is made anew whenever it is lost. */
export function subscribeToChanges(url: string, handlers: SubscriptionHandlers): Subscription {
  const firstAttempt = Promise.withResolvers<void>()
  let stopped = false
  let lost = false
  let retry: ReturnType<typeof setTimeout> | undefined
  let connection = listen()

  function listen(): Listener {
    return listenOnce(url, {
      onListening: () => {
        if (stopped) return
        lost = false
        handlers.onListening()
        firstAttempt.resolve()
      },
      onChange: handlers.onChange,
      onLost: (error) => {
        firstAttempt.resolve()
        if (stopped) return
        const pauseMs = isForbidden(error) ? forbiddenRetryMs : retryMs
        retry = setTimeout(() => {
          connection = listen()
        }, pauseMs)
        // Attempts that fail one after another are one loss.
        if (lost) return
        lost = true
        handlers.onLost(error)
      },
    })
  }

  return {
    ready: firstAttempt.promise,
    stop: async () => {
      stopped = true
      firstAttempt.resolve()
      clearTimeout(retry)
      await connection.end()
    },
  }
}

interface Listener {
  end(): Promise<void>
}

/** Listens on one connection, and tells once that it is lost. */
function listenOnce(url: string, handlers: SubscriptionHandlers): Listener {
  let standing = true
  // The driver tries to connect without end while what it reaches closes the connection at once.
  const overdue = setTimeout(() => {
    lose(new Error(`No connection to listen on within ${connectWithinMs} ms`))
  }, connectWithinMs)

  const client = singleConnection(url, {
    idle_timeout: 0,
    onclose: () => lose(new Error("The connection was closed")),
    onnotify: (channel, payload) => {
      if (!standing || channel !== changed) return
      if (payload.startsWith(flushMark)) confirm(payload.slice(flushMark.length)).catch(lose)
      else handlers.onChange(payload === "" ? undefined : Number(payload))
    },
  })
  const confirm = (flush: string) =>
    client`select pg_notify(${confirmed}, ${flush} || ' ' || pg_backend_pid())`
  // The name by which it is counted. Set here, for one in the address goes before an option's.
  client`select set_config('application_name', ${applicationName}, false)`
    .then(() => client`listen ${client(changed)}`)
    .then(() => {
      clearTimeout(overdue)
      if (standing) handlers.onListening()
    })
    .catch(lose)

  function lose(error: unknown): void {
    if (!standing) return
    standing = false
    clearTimeout(overdue)
    client.end({ timeout: 0 }).catch(() => {})
    handlers.onLost(error)
  }

  return {
    end: async () => {
      standing = false
      clearTimeout(overdue)
      await client.end({ timeout: 1 })
    },
  }
}

export interface ConfirmedChange<T> {
  /** What the change gave. */
  value: T
  /** How many processes did not confirm it in time; undefined where that could not be found out. */
  unconfirmed: number | undefined
}

/**
 * Runs `work` on a connection of its own and waits, for two seconds at most, until what it committed
 * holds in every process that listens. Once the work is done nothing makes its result be lost.
 */
export function changeAndConfirm<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
): Promise<ConfirmedChange<T>> {
  const flush = crypto.randomUUID()
  const have = new Set<string>()
  let onConfirmation = (): void => {}

  const unconfirmed = (client: Sql) =>
    new Promise<number | undefined>((resolve) => {
      let listeners: string[] | undefined
      const missing = () => listeners?.filter((pid) => !have.has(pid)).length
      const finish = (count: number | undefined): void => {
        clearTimeout(timer)
        resolve(count)
      }
      const timer = setTimeout(() => finish(missing()), confirmWithinMs)
      onConfirmation = () => {
        if (missing() === 0) finish(0)
      }
      askToConfirm(client, flush).then(
        (pids) => {
          listeners = pids
          onConfirmation()
        },
        () => finish(undefined),
      )
    })

  return withConnection(
    url,
    async (client) => {
      await client`listen ${client(confirmed)}`
      const value = await work(client)
      return { value, unconfirmed: await unconfirmed(client) }
    },
    {
      onnotify: (_, payload) => {
        const [of, pid] = payload.split(" ")
        if (of !== flush || pid === undefined) return
        have.add(pid)
        onConfirmation()
      },
    },
  )
}

/** Asks all who listen, and gives their process ids. */
async function askToConfirm(client: Sql, flush: string): Promise<string[]> {
  await client`select pg_notify(${changed}, ${flushMark + flush})`
  // A process that begins to listen after this knows nothing yet that could be out of date.
  const listeners = await client<{ pid: string }[]>`
    select pid::text from pg_stat_activity
    where datname = current_database() and application_name = ${applicationName}`
  return listeners.map(({ pid }) => pid)
}

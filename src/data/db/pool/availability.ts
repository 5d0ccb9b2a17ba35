/**
 * Detects outages of the database.
 *
 * While statements run, a probe queries the database about twice a second, on a connection as old as theirs.
 * If neither the probe nor any statement gets a response for a second, the database is lost: listeners
 * end running and waiting statements, and new ones fail at once until the database responds again. A slow
 * statement runs on to its own timeout. After a change of the password, sessions go on until a statement
 * fails for it: the rejected login of a probe alone does not count.
 */
import type { Sql } from "postgres"
import { settleWithin } from "../../../system/text/settle-within.ts"
import { singleConnection } from "../connection.ts"
import { isLoginError, isServerError } from "../database-errors.ts"
import { noResponseWithin, Unavailable } from "./unavailable.ts"

export interface DatabaseAddress {
  url: string
  /** Past a connection pooler, if there is one. */
  directUrl: string
}

export type Availability = ReturnType<typeof watchAvailability>

interface AvailabilityListener {
  onLost: (error: Unavailable) => void
  onBack?: () => void
}

/** With the time limit of a probe, requests fail within two seconds. */
const probeEveryMs = 400
const retryMs = 250
const silenceMs = 1_000

export function watchAvailability({ url, directUrl }: DatabaseAddress) {
  const listeners: AvailabilityListener[] = []
  let client = connect()
  let outage: Unavailable | undefined
  let timer: Timer | undefined
  let isClosed = false
  let running = 0
  /** Whether a statement has got a response since the last probe; undefined if none has ended. */
  let isAnswered: boolean | undefined
  /** Whether a pooler may delay the probe behind long statements, so that silence means nothing. */
  let isPooled = false

  function connect(): Sql {
    return singleConnection(directUrl, {
      backoff: () => 0.25,
      connection: { application_name: "mds availability" },
    })
  }

  async function query(): Promise<void> {
    const rows = await client.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid")
    isPooled = rows.state.pid !== rows[0]?.pid
  }

  /** Retries once, on a new connection, because an idle one may have ended. */
  const queryTwice = () =>
    query().catch((error) => {
      if (isLoginError(error)) throw error
      return isServerError(error) ? undefined : query()
    })

  /**
   * Queries the database and, if no statement has got a response, opens a session through the pooler. The query
   * uses an old connection, which fails together with those of statements.
   * @throws Error without a response
   */
  async function probe(wasAnswered = false): Promise<void> {
    try {
      const parts = [queryTwice()]
      if (url !== directUrl && !wasAnswered) parts.push(openSession(url))
      await settleWithin(silenceMs, Promise.all(parts), noResponseWithin)
    } catch (error) {
      if (isServerError(error)) return
      client.end({ timeout: 0 }).catch(() => {})
      client = connect()
      if (!(isPooled && error instanceof Unavailable)) throw error
    }
  }

  async function watch(): Promise<void> {
    const wasAnswered = isAnswered
    isAnswered = undefined
    const error: unknown = await probe(wasAnswered).then(
      () => undefined,
      (failure) => failure,
    )
    timer = undefined
    if (isClosed) return
    if (error === undefined) {
      if (outage) for (const { onBack } of listeners) onBack?.()
      outage = undefined
    } else if (!outage && !isAnswered && (wasAnswered === false || !isLoginError(error))) {
      outage = new Unavailable("The database does not respond", { cause: error })
      for (const { onLost } of listeners) onLost(outage)
    }
    if (running > 0 || outage) watchSoon()
  }

  function watchSoon(): void {
    timer ??= setTimeout(watch, outage ? retryMs : probeEveryMs)
  }

  const end = (wasAnswered: boolean): void => {
    running--
    isAnswered ||= wasAnswered
  }

  // At once, so that the connection is as old as the others.
  timer = setTimeout(watch, 0)
  return {
    /** Calls the listener from now on. */
    listen: (listener: AvailabilityListener): void => {
      listeners.push(listener)
    },
    get isResponding(): boolean {
      return outage === undefined
    },
    /** @throws Unavailable during an outage */
    ensure: (): void => {
      if (outage) throw outage
    },
    /**
     * Records the start of a statement.
     * @returns records its end, and whether the database has responded, also with an error
     */
    begin: (): ((isAnswered: boolean) => void) => {
      running++
      watchSoon()
      return end
    },
    close: async (): Promise<void> => {
      isClosed = true
      clearTimeout(timer)
      await client.end({ timeout: 1 })
    },
  }
}

/**
 * Opens a session, which a pooler grants even while all its connections to the database are busy.
 * @throws Error without a session
 */
async function openSession(url: string): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  // The server sends the settings of a session at its beginning.
  const client = singleConnection(url, { onparameter: () => begin() })
  const response = client.unsafe("select 1").execute()
  response.catch(() => {})
  try {
    await settleWithin(silenceMs, Promise.race([begun, response]), noResponseWithin)
  } finally {
    await client.end({ timeout: 0 })
  }
}

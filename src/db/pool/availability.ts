/**
 * Whether the database answers.
 *
 * While statements run, the database is asked about twice a second, on a connection that is as old as
 * theirs. If neither this question nor any statement is answered for a second, the database is lost:
 * `onLost` ends the statements that run or wait, and new ones are refused at once until it answers again.
 * A statement that is merely slow runs on to its own timeout.
 */
import type { Sql } from "postgres"
import { settleWithin } from "../../text/settle-within.ts"
import { singleConnection } from "../connection.ts"
import { isAnswer } from "../database-errors.ts"
import { noAnswerWithin, Unavailable } from "./unavailable.ts"

export interface DatabaseAddress {
  url: string
  /** Past a connection pooler, if there is one. */
  directUrl: string
}

export type Availability = ReturnType<typeof watchAvailability>

export interface AvailabilityHandlers {
  onLost: (error: Unavailable) => void
  onBack: () => void
}

/** With the limit of the question, requests are refused within two seconds. */
const askEveryMs = 400
const askAgainMs = 250
const silenceMs = 1_000

export function watchAvailability(
  { url, directUrl }: DatabaseAddress,
  { onLost, onBack }: AvailabilityHandlers,
) {
  let client = connect()
  let outage: Unavailable | undefined
  let timer: Timer | undefined
  let isClosed = false
  let running = 0
  /** Whether a statement was answered since the last question. */
  let isAnswered = false
  /** The question may then wait for the end of long statements, so silence means nothing. */
  let isPooled = false

  function connect(): Sql {
    return singleConnection(directUrl, {
      backoff: () => 0.25,
      connection: { application_name: "mds availability" },
    })
  }

  async function ask(): Promise<void> {
    const rows = await client.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid")
    isPooled = rows.state.pid !== rows[0]?.pid
  }

  /** An idle connection may have ended; a new one shows whether the database answers. */
  const askTwice = () => ask().catch((error) => (isAnswer(error) ? undefined : ask()))

  /**
   * A session through the pooler is opened only where no statement has shown that there are sessions. The
   * connection is always asked: one made at the question would not fail with the connections of statements.
   * @throws where there is no answer
   */
  async function question(wasAnswered: boolean): Promise<void> {
    try {
      const parts = [askTwice()]
      if (url !== directUrl && !wasAnswered) parts.push(openSession(url))
      await settleWithin(silenceMs, Promise.all(parts), noAnswerWithin)
    } catch (error) {
      if (isAnswer(error)) return
      client.end({ timeout: 0 }).catch(() => {})
      client = connect()
      if (!(isPooled && error instanceof Unavailable)) throw error
    }
  }

  async function watch(): Promise<void> {
    const wasAnswered = isAnswered
    isAnswered = false
    const error: unknown = await question(wasAnswered).then(
      () => undefined,
      (failure) => failure,
    )
    timer = undefined
    if (isClosed) return
    if (error === undefined) {
      if (outage) onBack()
      outage = undefined
    } else if (!outage && !isAnswered) {
      outage = new Unavailable("The database does not answer", { cause: error })
      onLost(outage)
    }
    if (running > 0 || outage) watchSoon()
  }

  function watchSoon(): void {
    timer ??= setTimeout(watch, outage ? askAgainMs : askEveryMs)
  }

  const end = (wasAnswered: boolean): void => {
    running--
    if (wasAnswered) isAnswered = true
  }

  // The connection is then as old as the others, and fails with them.
  timer = setTimeout(watch, 0)
  return {
    get isAnswering(): boolean {
      return outage === undefined
    },
    /** @throws Unavailable while it does not answer */
    ensure: (): void => {
      if (outage) throw outage
    },
    /**
     * A statement is sent.
     * @returns what is called at its end: whether the database has answered, be it with an error
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
 * Opens a session, as a pooler does even while all its connections to the database are busy.
 * @throws where there was none
 */
async function openSession(url: string): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  // The settings of the session come with its beginning.
  const client = singleConnection(url, { onparameter: () => begin() })
  const answered = client.unsafe("select 1").execute()
  answered.catch(() => {})
  try {
    await settleWithin(silenceMs, Promise.race([begun, answered]), noAnswerWithin)
  } finally {
    await client.end({ timeout: 0 })
  }
}

/**
 * Whether the database answers.
 *
 * While statements run and none of them has been answered for a while, the database is asked, on a connection
 * that is as old as theirs. If neither this question nor any statement is answered for a second, the database
 * is lost: `onLost` ends the statements that run or wait, and new ones are refused at once until it answers again.
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

export interface Availability {
  readonly isAnswering: boolean
  /** @throws Unavailable while it does not answer */
  ensure(): void
  /**
   * A statement is sent.
   * @returns what is called at its end: whether the database has answered, be it with an error
   */
  begin(): (isAnswered: boolean) => void
  close(): Promise<void>
}

export interface AvailabilityHandlers {
  onLost: (error: Unavailable) => void
  onBack: () => void
}

/** Twice this and the limit of the question come to less than two seconds, within which requests are refused. */
const checkEveryMs = 300
const askAgainMs = 250
const silenceMs = 1_000

export function watchAvailability(
  { url, directUrl }: DatabaseAddress,
  { onLost, onBack }: AvailabilityHandlers,
): Availability {
  let client = connect()
  let outage: Unavailable | undefined
  let timer: Timer | undefined
  let isClosed = false
  let running = 0
  /** Whether a statement was answered since the last check. */
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

  /** @throws where there is no answer */
  async function question(): Promise<void> {
    try {
      const parts = url === directUrl ? [askTwice()] : [askTwice(), openSession(url)]
      await settleWithin(silenceMs, Promise.all(parts), noAnswerWithin)
    } catch (error) {
      if (isAnswer(error)) return
      client.end({ timeout: 0 }).catch(() => {})
      client = connect()
      if (!(isPooled && error instanceof Unavailable)) throw error
    }
  }

  async function watch(): Promise<void> {
    const isKnown = isAnswered && !outage
    isAnswered = false
    const error: unknown = isKnown
      ? undefined
      : await question().then(
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
    timer ??= setTimeout(watch, outage ? askAgainMs : checkEveryMs)
  }

  const end = (wasAnswered: boolean): void => {
    running--
    if (wasAnswered) isAnswered = true
  }

  // The connection is then as old as the others, and fails with them.
  timer = setTimeout(watch, 0)
  return {
    get isAnswering() {
      return outage === undefined
    },
    ensure: () => {
      if (outage) throw outage
    },
    begin: () => {
      running++
      watchSoon()
      return end
    },
    close: async () => {
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

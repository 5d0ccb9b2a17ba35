/**
 * Makes a change and waits until every serving process has processed its notification.
 *
 * After the commit it sends a flush. PostgreSQL delivers the notifications of both channels in commit order, so a
 * process that confirms the flush has processed the change.
 */
import type { Sql } from "postgres"
import { settleWithin } from "../../system/text/settle-within.ts"
import { ensureSession, withConnection } from "./connection.ts"
import {
  accessChannel,
  confirmationsChannel,
  flushPrefix,
  subscriberName,
} from "./notifications.ts"
import { noResponseWithin } from "./pool/unavailable.ts"

const confirmTimeoutMs = 2_000

export interface ConfirmedChange<T> {
  /** The result of `work`. */
  value: T
  /** The number of processes that did not confirm in time; undefined if unknown. */
  unconfirmed: number | undefined
}

/**
 * Runs `work` on a connection of its own and waits, for two seconds at most, until every subscribed process
 * has confirmed the change. A failure after the commit does not lose the result of `work`.
 * @param isChange whether `work` has changed anything, by its result; otherwise it does not wait
 */
export function changeAndConfirm<T>(
  url: string,
  work: (client: Sql) => Promise<T>,
  isChange: (value: T) => boolean = () => true,
): Promise<ConfirmedChange<T>> {
  const flush = crypto.randomUUID()
  const confirmedBy = new Set<string>()
  let onConfirmation = (): void => {}

  async function countUnconfirmed(client: Sql): Promise<number | undefined> {
    let subscribers: string[] | undefined
    const missing = () => subscribers?.filter((pid) => !confirmedBy.has(pid)).length
    const all = Promise.withResolvers<void>()
    onConfirmation = () => {
      if (missing() === 0) all.resolve()
    }
    const confirmed = requestConfirmations(client, flush).then((pids) => {
      subscribers = pids
      onConfirmation()
      return all.promise
    })
    // The change is committed, so a failure only leaves the count incomplete.
    await settleWithin(confirmTimeoutMs, confirmed, noResponseWithin).catch(() => {})
    return missing()
  }

  return withConnection(
    url,
    async (client) => {
      const value = await work(client)
      return { value, unconfirmed: isChange(value) ? await countUnconfirmed(client) : 0 }
    },
    {
      onnotify: (_, payload) => {
        const [confirmed, pid] = payload.split(" ")
        if (confirmed !== flush || pid === undefined) return
        confirmedBy.add(pid)
        onConfirmation()
      },
    },
  )
}

/** Sends the flush. Returns the process ids of all subscribed sessions. */
async function requestConfirmations(client: Sql, flush: string): Promise<string[]> {
  await ensureSession(client)
  await client`listen ${client(confirmationsChannel)}`
  await client`select pg_notify(${accessChannel}, ${flushPrefix + flush})`
  // A process that subscribes later has no stale cache.
  const subscribers = await client<{ pid: string }[]>`
    select pid::text from pg_stat_activity
    where datname = current_database() and application_name = ${subscriberName}`
  return subscribers.map(({ pid }) => pid)
}

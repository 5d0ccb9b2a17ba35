/**
 * How many requests each account made in each clock hour (UTC), counted when they are admitted. Each
 * process adds what it counted to the database every few seconds, so that all are added up there; one
 * that is killed loses no more than those seconds.
 */
import { and, eq, gte, lt, sql } from "drizzle-orm"
import { accounts, usageHours } from "../db/account-tables.ts"
import { isForbidden } from "../db/forbidden.ts"
import type { Pool } from "../db/pool.ts"
import { instantText } from "../resources/values.ts"

export interface HourOfUse {
  /** Its beginning, `2026-01-02T03:00:00Z`. */
  hour: string
  requests: number
}

export interface Usage {
  count(accountId: number, now: Date): void
  /** The last 24 clock hours, the one under way last; what other processes counted is some seconds old. @throws Unavailable */
  lastDay(accountId: number, now: Date): Promise<HourOfUse[]>
  /** Writes what was counted, and counts no more. */
  stop(): Promise<void>
}

const hourMs = 3_600_000
const shownHours = 24
const keptMs = 48 * hourMs
const writeEveryMs = 5_000
/** Of accounts and hours in one statement. */
const writtenAtOnce = 10_000

/** @param onFailure is told why counts could not be written; they are tried again, and shown meanwhile */
export function createUsage(
  pool: Pool,
  now: () => Date,
  onFailure: (error: unknown) => void,
): Usage {
  /** From hour to account to requests not yet written. */
  let pending = new Map<number, Map<number, number>>()
  let writing: Promise<void> = Promise.resolve()
  let tidiedMs = 0

  function add(accountId: number, hourStartMs: number, requests: number): void {
    const hour = pending.get(hourStartMs) ?? new Map<number, number>()
    hour.set(accountId, (hour.get(accountId) ?? 0) + requests)
    pending.set(hourStartMs, hour)
  }

  /** One write after the other, so that who waits for one knows that all before have ended. */
  function write(): Promise<void> {
    writing = writing.catch(() => {}).then(writePending)
    return writing
  }

  async function writePending(): Promise<void> {
    const counted = [...pending].flatMap(([hourStartMs, hour]) =>
      [...hour].map(([accountId, requests]) => ({ accountId, hourStartMs, requests })),
    )
    pending = new Map()
    for (let from = 0; from < counted.length; from += writtenAtOnce) {
      const rows = counted.slice(from, from + writtenAtOnce)
      try {
        await pool.run(() => pool.db.execute(addHours(rows)))
      } catch (error) {
        // Where nothing can ever be written, what is not shown any more must not pile up.
        const oldestMs = now().getTime() - keptMs
        for (const { accountId, hourStartMs, requests } of counted.slice(from)) {
          if (hourStartMs >= oldestMs) add(accountId, hourStartMs, requests)
        }
        throw error
      }
    }
  }

  async function tidy(nowMs: number): Promise<void> {
    if (nowMs - tidiedMs < hourMs) return
    const oldest = new Date(nowMs - keptMs).toISOString()
    await pool.run(() => pool.db.delete(usageHours).where(lt(usageHours.hour, oldest)))
    tidiedMs = nowMs
  }

  const timer = setInterval(() => {
    if (pending.size === 0) return
    write()
      .then(() => tidy(now().getTime()))
      .catch(onFailure)
  }, writeEveryMs)

  return {
    count: (accountId, at) => add(accountId, startOfHour(at.getTime()), 1),

    lastDay: async (accountId, at) => {
      await write().catch((error) => {
        if (!isForbidden(error)) throw error
        onFailure(error)
      })
      const firstMs = startOfHour(at.getTime()) - (shownHours - 1) * hourMs
      const rows = await pool.run(() =>
        pool.db
          .select({ hour: instantText(usageHours.hour), requests: usageHours.requests })
          .from(usageHours)
          .where(
            and(
              eq(usageHours.account_id, accountId),
              gte(usageHours.hour, new Date(firstMs).toISOString()),
            ),
          ),
      )
      const counted = new Map(rows.map(({ hour, requests }) => [hour, requests]))
      return Array.from({ length: shownHours }, (_, index) => {
        const startMs = firstMs + index * hourMs
        const hour = `${new Date(startMs).toISOString().slice(0, 19)}Z`
        const unwritten = pending.get(startMs)?.get(accountId) ?? 0
        return { hour, requests: (counted.get(hour) ?? 0) + unwritten }
      })
    },

    stop: async () => {
      clearInterval(timer)
      await write().catch(onFailure)
    },
  }
}

const startOfHour = (ms: number): number => Math.floor(ms / hourMs) * hourMs

/** An account that was deleted meanwhile has no use for them. */
function addHours(rows: readonly { accountId: number; hourStartMs: number; requests: number }[]) {
  const counted = JSON.stringify(
    rows.map(({ accountId, hourStartMs, requests }) => ({
      account_id: accountId,
      hour: new Date(hourStartMs).toISOString(),
      requests,
    })),
  )
  return sql`insert into ${usageHours} (account_id, hour, requests)
    select account_id, hour, requests
    from jsonb_to_recordset(${counted}::jsonb) as t(account_id bigint, hour timestamptz, requests bigint)
    where exists (select 1 from ${accounts} where ${accounts.id} = t.account_id)
    on conflict (account_id, hour) do update set requests = ${usageHours.requests} + excluded.requests`
}

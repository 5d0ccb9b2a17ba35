/**
 * Sessions of signed-in people.
 *
 * A cookie's value is a random secret. Only its SHA-256 is stored, which also names the session in lists and
 * forms. No process caches sessions: each page reads its session, so that every process rejects an ended
 * session from the next request on.
 *
 * A session ends after seven days without use, which protects shared computers, and 30 days after it began,
 * which limits the use of a stolen cookie.
 */
import { and, desc, eq, gt, isNull, lte, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { accounts } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { sessions } from "../db/sign-in-tables.ts"
import { instantText, milliseconds } from "../resources/values.ts"
import { minuteMs } from "../text/durations.ts"
import { existingAccount } from "./accounts.ts"
import { type Changed, change, type Editor } from "./change.ts"
import { limitOf } from "./plan.ts"
import { hashSecret } from "./secret.ts"
import {
  addSession,
  attributeToOwner,
  type Client,
  endSession,
  endSessions,
  idleMs,
  type SessionOfAccount,
  secondOf,
} from "./session-rows.ts"

export interface SessionOptions {
  pool: Pool
  /** Receives the reason why the use of a session was not recorded. */
  onUseNotRecorded: (error: unknown) => void
}

export type Sessions = ReturnType<typeof createSessions>

/** A signed-in person. `limit` is requests per window, infinite on the admin plan. */
export type SignedIn = NonNullable<Awaited<ReturnType<Sessions["find"]>>>

const recordEveryMs = minuteMs

/** Each method throws Unavailable. */
export function createSessions({ pool, onUseNotRecorded }: SessionOptions) {
  const byId = pool.db
    .select({
      accountId: accounts.id,
      email: accounts.email,
      plan: accounts.plan,
      requestLimit: accounts.request_limit,
      method: sessions.method,
      signedInAt: timeOf(sessions.signed_in_at),
      lastSeenAt: timeOf(sessions.last_seen_at),
      expiresAt: timeOf(sessions.expires_at),
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.account_id))
    .where(and(eq(sessions.id, sql.placeholder("id")), isNull(accounts.disabled_at)))
    .prepare("session by id")

  /** The condition repeats the check: other requests of the session may have recorded it. */
  const recordUse = (id: string, now: Date) =>
    pool.runAlone(null, (db) =>
      db
        .update(sessions)
        .set({ last_seen_at: secondOf(now) })
        .where(and(eq(sessions.id, id), lte(sessions.last_seen_at, before(now, recordEveryMs)))),
    )

  return {
    /**
     * The person that a cookie's value identifies; null if no valid session has it or the account is
     * disabled. Records the use of the session at most once a minute.
     * @param address of the client, which takes turns at the database
     */
    find: async (cookie: string, now: Date, address: AccountId = null) => {
      // Only well-formed values cost a query.
      if (!/^[\w-]{43}$/.test(cookie)) return null
      const id = hashSecret(cookie)
      const [found] = await pool.runAlone(address, () => byId.execute({ id }))
      if (!found) return null
      const { requestLimit, lastSeenAt, expiresAt, ...person } = found
      const idle = now.getTime() - lastSeenAt.getTime()
      if (now >= expiresAt || idle >= idleMs) return null
      if (idle >= recordEveryMs) recordUse(id, now).catch(onUseNotRecorded)
      return { sessionId: id, ...person, limit: limitOf(person.plan, requestLimit) }
    },

    /**
     * Begins a session, by password.
     * @param replaces the session that the client had before, which ends in the same transaction
     * @returns the cookie's value; null if the account is deleted or disabled
     */
    start: (
      accountId: number,
      client: Client,
      now: Date,
      replaces: SessionOfAccount | null = null,
    ): Promise<string | null> =>
      pool.runAlone(null, (db) =>
        db.transaction(async (tx) => {
          if (replaces) await endSession(tx, replaces, client.address)
          await attributeToOwner(tx, accountId, client.address)
          return addSession(tx, { accountId, client, now, method: "password" })
        }),
      ),

    /** Ends a session of the account. @param address of the client */
    end: async (accountId: number, sessionId: string, address?: string): Promise<void> => {
      // A form may send text that PostgreSQL cannot store.
      if (!/^[0-9a-f]{64}$/.test(sessionId)) return
      await pool.runAlone(null, (db) =>
        db.transaction((tx) => endSession(tx, { accountId, sessionId }, address)),
      )
    },

    /**
     * Ends all sessions of the account and deletes its one-time links.
     * @param address of the client
     */
    endAll: (accountId: number, address?: string): Promise<number> =>
      pool.runAlone(null, (db) =>
        db.transaction(async (tx) => {
          await attributeToOwner(tx, accountId, address)
          return endSessions(tx, accountId)
        }),
      ),

    /** The sessions of the account, the last one used first. */
    list: (accountId: number, now: Date) => listSessions(pool, accountId, now),
  }
}

export type SessionRow = Awaited<ReturnType<typeof listSessions>>[number]

const listSessions = (pool: Pool, accountId: number, now: Date) =>
  pool.runAlone(null, (db) =>
    db
      .select({
        id: sessions.id,
        method: sessions.method,
        address: sessions.address,
        userAgent: sessions.user_agent,
        signedInAt: sql<string>`${instantText(sessions.signed_in_at)}`,
        lastSeenAt: sql<string>`${instantText(sessions.last_seen_at)}`,
      })
      .from(sessions)
      .where(
        and(
          eq(sessions.account_id, accountId),
          gt(sessions.expires_at, now.toISOString()),
          gt(sessions.last_seen_at, before(now, idleMs)),
        ),
      )
      .orderBy(desc(sessions.last_seen_at), desc(sessions.signed_in_at), sessions.id),
  )

/** The same for operators. @throws AccountError where the account does not exist */
export async function sessionsOf(pool: Pool, email: string, now: Date): Promise<SessionRow[]> {
  const { id } = await pool.runAlone(null, (db) => existingAccount(db, email))
  return listSessions(pool, id, now)
}

/**
 * Ends all sessions of an account and deletes its one-time links, for an operator.
 * @returns the number of ended sessions
 * @throws AccountError where it does not exist
 */
export function signOut(editor: Editor, email: string): Promise<Changed<number>> {
  return change(editor, async (tx) => endSessions(tx, (await existingAccount(tx, email)).id))
}

const before = (now: Date, ms: number): string => new Date(now.getTime() - ms).toISOString()

const timeOf = (column: PgColumn) =>
  sql<Date>`${milliseconds(column)}`.mapWith((ms) => new Date(Number(ms)))

/**
 * Sessions of signed-in people.
 *
 * A cookie's value is a random secret. Only its SHA-256 is stored, which also names the session in lists and
 * forms. No process caches sessions: each page reads its session, so that every process rejects an ended
 * session from the next request on.
 */
import { and, desc, eq, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import type { PgColumn } from "drizzle-orm/pg-core"
import { accountsTable } from "../../data/db/account-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import { sessions, signInLinks } from "../../data/db/sign-in-tables.ts"
import { instantText, milliseconds } from "../../data/resources/values.ts"
import { fold } from "../../system/text/fold.ts"
import { dayMs, minuteMs, secondOf } from "../../system/text/time.ts"
import { existingAccount } from "./accounts.ts"
import {
  attribute,
  authorOf,
  type Changed,
  type Changer,
  change,
  type Editor,
  type Transaction,
  unknownAddress,
} from "./change.ts"
import { hashSecret, randomText } from "./secret.ts"
import { limitOf } from "./windows.ts"

/** A session ends after this time without use. */
export const idleMs = 90 * dayMs
/** A session ends after this time even if it is used. */
const longestMs = 365 * dayMs
const recordEveryMs = minuteMs

const secretBytes = 32
/** The stored length of a user agent, in characters. Browsers send about 150. */
const maxUserAgentLength = 300

/** The client that a person signs in with. */
export interface Client {
  /** The same address as for the limits of unauthenticated requests. */
  address: string
  /** Empty if the client sends none. */
  userAgent: string
}

export interface SessionOptions {
  pool: Pool
  /** Receives the reason why the use of a session was not recorded. */
  onUseNotRecorded: (error: unknown) => void
}

export type Sessions = ReturnType<typeof createSessions>

/** A signed-in person. `limit` is requests per window, infinite on the admin plan. */
export type SignedIn = NonNullable<Awaited<ReturnType<Sessions["find"]>>>

/** Each method throws Unavailable. */
export function createSessions({ pool, onUseNotRecorded }: SessionOptions) {
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
     * The person that a cookie's value identifies; null if no current session has it or the account is
     * disabled. Records the use of the session at most once a minute, and returns with it the seconds for
     * which the client keeps the cookie from now on.
     * @param address of the client, which takes turns at the database
     */
    find: async (cookie: string, now: Date, address: AccountId = null) => {
      // Only well-formed values cost a query.
      if (!/^[\w-]{43}$/.test(cookie)) return null
      const id = hashSecret(cookie)
      const [found] = await pool.runAlone(address, (db) =>
        db
          .select({
            accountId: accountsTable.id,
            email: accountsTable.email,
            plan: accountsTable.plan,
            requestLimit: accountsTable.request_limit,
            signedInAt: timeOf(sessions.signed_in_at),
            lastSeenAt: timeOf(sessions.last_seen_at),
          })
          .from(sessions)
          .innerJoin(accountsTable, eq(accountsTable.id, sessions.account_id))
          .where(and(eq(sessions.id, id), isCurrent(now), isNull(accountsTable.disabled_at))),
      )
      if (!found) return null
      const { requestLimit, lastSeenAt, ...person } = found
      const isRecorded = now.getTime() - lastSeenAt.getTime() >= recordEveryMs
      if (isRecorded) recordUse(id, now).catch(onUseNotRecorded)
      return {
        sessionId: id,
        ...person,
        limit: limitOf(person.plan, requestLimit),
        /** Null if the use was recorded less than a minute ago. */
        renewedSeconds: isRecorded ? cookieSeconds(person, now) : null,
      }
    },

    /** Ends a session of the person's account. */
    end: async (changer: Changer, sessionId: string): Promise<void> => {
      // A form may send text that PostgreSQL cannot store.
      if (!/^[0-9a-f]{64}$/.test(sessionId)) return
      await pool.runAlone(null, (db) => db.transaction((tx) => endSession(tx, changer, sessionId)))
    },
  }
}

export type SessionRow = Awaited<ReturnType<typeof listSessions>>[number]

/** The sessions of an account, the last one used first. */
export const listSessions = (pool: Pool, accountId: number, now: Date) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({
        id: sessions.id,
        address: sessions.address,
        userAgent: sessions.user_agent,
        signedInAt: sql<string>`${instantText(sessions.signed_in_at)}`,
        lastSeenAt: sql<string>`${instantText(sessions.last_seen_at)}`,
      })
      .from(sessions)
      .where(and(eq(sessions.account_id, accountId), isCurrent(now)))
      .orderBy(desc(sessions.last_seen_at), desc(sessions.signed_in_at), sessions.id),
  )

/**
 * Ends all sessions of an account and deletes its one-time links.
 * @returns the number of ended sessions
 * @throws AccountError where it does not exist
 */
export const signOut = (editor: Editor, email: string): Promise<Changed<number>> =>
  change(editor, async (tx) => {
    const account = await existingAccount(tx, email)
    await tx.delete(signInLinks).where(eq(signInLinks.email_folded, fold(account.email)))
    const ended = await tx
      .delete(sessions)
      .where(eq(sessions.account_id, account.id))
      .returning({ id: sessions.id })
    return ended.length
  })

/** Begins a session. @returns the cookie's value; null where the account does not exist or is disabled */
export async function addSession(
  tx: Transaction,
  { account, client, now }: { account: SQL | undefined; client: Client; now: Date },
): Promise<string | null> {
  const [found] = await tx
    .select({ id: accountsTable.id })
    .from(accountsTable)
    .where(and(account, isNull(accountsTable.disabled_at)))
    .for("share")
  if (!found) return null
  const cookie = randomText(secretBytes)
  // The columns have whole seconds, to which PostgreSQL would round, and so up into the future too.
  await tx.insert(sessions).values({
    id: hashSecret(cookie),
    account_id: found.id,
    signed_in_at: secondOf(now),
    last_seen_at: secondOf(now),
    address: client.address || unknownAddress,
    user_agent: client.userAgent.slice(0, maxUserAgentLength),
  })
  return cookie
}

/** Ends a session of the person's account. */
export async function endSession(
  tx: Transaction,
  changer: Changer,
  sessionId: string,
): Promise<void> {
  await attribute(tx, authorOf(changer))
  const ofAccount = eq(sessions.account_id, changer.accountId)
  await tx.delete(sessions).where(and(eq(sessions.id, sessionId), ofAccount))
}

/** The seconds for which a client keeps the cookie of a session that is in use now. */
const cookieSeconds = ({ signedInAt }: { signedInAt: Date }, now: Date): number =>
  Math.floor(Math.min(idleMs, signedInAt.getTime() + longestMs - now.getTime()) / 1000)

/** The condition for a session that has ended by time. */
export const isExpired = (now: Date): SQL | undefined =>
  or(
    lte(sessions.signed_in_at, before(now, longestMs)),
    lte(sessions.last_seen_at, before(now, idleMs)),
  )

const isCurrent = (now: Date): SQL => sql`not (${isExpired(now)})`

const before = (now: Date, ms: number): string => new Date(now.getTime() - ms).toISOString()

const timeOf = (column: PgColumn) =>
  sql<Date>`${milliseconds(column)}`.mapWith((ms) => new Date(Number(ms)))

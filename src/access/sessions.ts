/**
 * Sessions of people that have signed in.
 *
 * A cookie's value is `ID.SECRET`. The id names the session in lists and forms; the secret proves it,
 * and only its SHA-256 is stored. Nothing is cached: each page reads its session, so that a session
 * that has ended in one process is refused from the next request on in all of them.
 *
 * A session ends after seven days without use, so that a forgotten one on a shared computer does not
 * stay open, and 30 days after it began however much it is used, so that a stolen one is not valid for
 * good.
 */
import { and, desc, eq, gt, isNull, lte, sql } from "drizzle-orm"
import { accounts, type Plan } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { type SignInMethod, sessions } from "../db/sign-in-tables.ts"
import { milliseconds } from "../resources/values.ts"
import { limitOf } from "./plan.ts"
import { isHashOf } from "./secret.ts"
import {
  addSession,
  attributeToOwner,
  before,
  endSession,
  endSessions,
  idleMs,
  secondOf,
  signIn,
} from "./session-rows.ts"

/** A signed-in person. */
export interface SignedIn {
  sessionId: string
  accountId: number
  email: string
  plan: Plan
  /** Requests per window, infinite on the admin plan. */
  limit: number
  signedInAt: Date
  method: SignInMethod
}

/** From where a person signs in. */
export interface Client {
  /** As for the limits of unauthenticated requests. */
  address: string
  /** Empty where it sends none. */
  userAgent: string
}

/** A session of an account. */
export type SessionOfAccount = Pick<SignedIn, "accountId" | "sessionId">

/** How a session begins. */
export interface StartOptions {
  /** By password, unless it is given. */
  method?: SignInMethod
  /** The session that the client had before, which ends in the same transaction. */
  replaces?: SessionOfAccount | null
}

export interface SessionRow extends Client {
  id: string
  signedInAt: Date
  method: SignInMethod
  lastSeenAt: Date
  /** When it ends however much it is used. */
  expiresAt: Date
}

export interface Sessions {
  /**
   * The person that a cookie's value identifies; null where it is malformed or unknown, the session has
   * ended or was not used for too long, or its account is disabled. Records, at most once a minute,
   * that the session is in use.
   * @throws Unavailable
   */
  find(cookie: string, now: Date): Promise<SignedIn | null>
  /**
   * Begins a session.
   * @returns the cookie's value; null where the account was deleted or disabled in the meantime
   * @throws Unavailable
   */
  start(accountId: number, client: Client, now: Date, how?: StartOptions): Promise<string | null>
  /** Ends a session of the account. @param address of the client that asks for it */
  end(accountId: number, sessionId: string, address?: string): Promise<void>
  /**
   * Ends all sessions of the account and withdraws its one-time links.
   * @param except a session that continues
   * @param address of the client that asks for it
   * @returns how many have ended
   */
  endAll(accountId: number, except?: string, address?: string): Promise<number>
  /** The sessions of the account, the last one used first. */
  list(accountId: number, now: Date): Promise<SessionRow[]>
}

const recordEveryMs = 60_000

const idPattern = /^[0-9A-Za-z_-]{22}$/
const cookiePattern = /^([0-9A-Za-z_-]{22})\.([0-9A-Za-z_-]{43})$/

export interface SessionOptions {
  pool: Pool
  /** Receives why it could not be recorded that a session is in use. */
  onUseNotRecorded: (error: unknown) => void
}

export function createSessions({ pool, onUseNotRecorded }: SessionOptions): Sessions {
  const byId = pool.db
    .select({
      secret: sessions.secret_sha256,
      accountId: accounts.id,
      email: accounts.email,
      plan: accounts.plan,
      requestLimit: accounts.request_limit,
      method: sessions.method,
      signedInMs: milliseconds(sessions.signed_in_at),
      seenMs: milliseconds(sessions.last_seen_at),
      expiresMs: milliseconds(sessions.expires_at),
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.account_id))
    .where(and(eq(sessions.id, sql.placeholder("id")), isNull(accounts.disabled_at)))
    .prepare("session by id")

  /** Its own condition as well: other requests of the session may have recorded it. */
  const recordUse = (id: string, now: Date) =>
    pool.runAlone(signIn, () =>
      pool.db
        .update(sessions)
        .set({ last_seen_at: secondOf(now) })
        .where(and(eq(sessions.id, id), lte(sessions.last_seen_at, before(now, recordEveryMs)))),
    )

  return {
    find: async (cookie, now) => {
      const [, id, secret] = cookiePattern.exec(cookie) ?? []
      if (id === undefined || secret === undefined) return null
      const [found] = await pool.runAlone(signIn, () => byId.execute({ id }))
      if (!found || !isHashOf(found.secret, secret)) return null
      const { secret: _, requestLimit, signedInMs, seenMs, expiresMs, ...person } = found
      const nowMs = now.getTime()
      if (nowMs >= Number(expiresMs) || nowMs >= Number(seenMs) + idleMs) return null
      if (nowMs >= Number(seenMs) + recordEveryMs) recordUse(id, now).catch(onUseNotRecorded)
      return {
        sessionId: id,
        ...person,
        limit: limitOf(person.plan, requestLimit),
        signedInAt: new Date(Number(signedInMs)),
      }
    },

    start: (accountId, client, now, { method = "password", replaces = null } = {}) =>
      pool.runAlone(signIn, () =>
        pool.db.transaction(async (tx) => {
          if (replaces) await endSession(tx, replaces, client.address)
          await attributeToOwner(tx, accountId, client.address)
          return addSession(tx, { accountId, client, now, method })
        }),
      ),

    end: async (accountId, sessionId, address) => {
      // What a form sends may be text that PostgreSQL can't hold.
      if (!idPattern.test(sessionId)) return
      await pool.runAlone(signIn, () =>
        pool.db.transaction((tx) => endSession(tx, { accountId, sessionId }, address)),
      )
    },

    endAll: (accountId, except, address) =>
      pool.runAlone(signIn, () =>
        pool.db.transaction(async (tx) => {
          await attributeToOwner(tx, accountId, address)
          return endSessions(tx, accountId, except)
        }),
      ),

    list: async (accountId, now) => {
      const rows = await pool.runAlone(signIn, () =>
        pool.db
          .select({
            id: sessions.id,
            method: sessions.method,
            address: sessions.address,
            userAgent: sessions.user_agent,
            signedInMs: milliseconds(sessions.signed_in_at),
            seenMs: milliseconds(sessions.last_seen_at),
            expiresMs: milliseconds(sessions.expires_at),
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
      return rows.map(({ signedInMs, seenMs, expiresMs, ...row }) => ({
        ...row,
        signedInAt: new Date(Number(signedInMs)),
        lastSeenAt: new Date(Number(seenMs)),
        expiresAt: new Date(Number(expiresMs)),
      }))
    },
  }
}

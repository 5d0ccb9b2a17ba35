/** Adds and deletes rows of sessions, within transactions that may do more. */
import { and, eq, inArray, isNull, ne } from "drizzle-orm"
import { accounts } from "../db/account-tables.ts"
import { type SignInMethod, sessions, signInLinks } from "../db/sign-in-tables.ts"
import { dayMs } from "../text/durations.ts"
import { attribute, type Transaction, unknownAddress } from "./change.ts"
import { hashSecret, randomText } from "./secret.ts"

/** A session ends after this time without use. */
export const idleMs = 7 * dayMs
/** A session ends after this time even if it is used. */
export const longestMs = 30 * dayMs

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

/** A session of an account. */
export interface SessionOfAccount {
  accountId: number
  sessionId: string
}

export interface NewSession {
  accountId: number
  client: Client
  now: Date
  method: SignInMethod
}

/** Begins a session. @returns the cookie's value; null where the account does not exist or is disabled */
export async function addSession(
  tx: Transaction,
  { accountId, client, now, method }: NewSession,
): Promise<string | null> {
  const [account] = await tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(and(eq(accounts.id, accountId), isNull(accounts.disabled_at)))
    .for("share")
  if (!account) return null
  const cookie = randomText(secretBytes)
  await tx.insert(sessions).values({
    id: hashSecret(cookie),
    account_id: accountId,
    signed_in_at: secondOf(now),
    last_seen_at: secondOf(now),
    expires_at: secondOf(new Date(now.getTime() + longestMs)),
    method,
    address: client.address || unknownAddress,
    user_agent: client.userAgent.slice(0, maxUserAgentLength),
  })
  return cookie
}

/** Ends a session of an account, as its owner. @param address of the client */
export async function endSession(
  tx: Transaction,
  { accountId, sessionId }: SessionOfAccount,
  address?: string,
): Promise<void> {
  await attributeToOwner(tx, accountId, address)
  await tx
    .delete(sessions)
    .where(and(eq(sessions.id, sessionId), eq(sessions.account_id, accountId)))
}

/** Ends the account's sessions but one, and deletes its one-time links. @returns the number of ended ones */
export async function endSessions(
  tx: Transaction,
  accountId: number,
  except?: string,
): Promise<number> {
  const ofAccount = tx
    .select({ folded: accounts.email_folded })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  await tx.delete(signInLinks).where(inArray(signInLinks.email_folded, ofAccount))
  const ended = await tx
    .delete(sessions)
    .where(
      and(
        eq(sessions.account_id, accountId),
        except === undefined ? undefined : ne(sessions.id, except),
      ),
    )
    .returning({ id: sessions.id })
  return ended.length
}

/** Makes the audit log record the transaction's changes as made by the account's owner. */
export async function attributeToOwner(
  tx: Transaction,
  accountId: number,
  address = unknownAddress,
): Promise<void> {
  const [account] = await tx
    .select({ email: accounts.email })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  await attribute(tx, { who: account?.email ?? `account ${accountId}`, origin: address })
}

/** The columns have whole seconds. PostgreSQL would round, and so up into the future too. */
export const secondOf = (at: Date): string =>
  new Date(Math.floor(at.getTime() / 1000) * 1000).toISOString()

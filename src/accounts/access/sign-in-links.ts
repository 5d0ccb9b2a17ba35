/**
 * One-time links, with which a person signs in or, if sign-up is open, creates an account.
 *
 * The SHA-256 of a link's secret is stored. A link is valid for 15 minutes, and using it deletes it. The service stores
 * a link even if the account does not exist, so that the request takes the same time; it sends no link for a
 * missing or disabled account.
 *
 * An account has at most five valid links, so that many clients cannot flood one mailbox. Nobody is locked out by the
 * requests of others: each of these links signs in, and once it is used or ended, another can be requested.
 *
 * The service sends a link to the address that the account was created with, and the link signs in to the
 * account with exactly that address. The typed text may be another mailbox that only folds to the same text.
 */
import { and, eq, gt, sql } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import type { Database, Pool } from "../../data/db/pool/pool.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import { signInLinks } from "../../data/db/sign-in-tables.ts"
import { milliseconds } from "../../data/resources/values.ts"
import { fold } from "../../system/text/fold.ts"
import { minuteMs } from "../../system/text/time.ts"
import { type Account, accountByEmail, addAccount, byEmail, existingAccount } from "./accounts.ts"
import { AccountError, attribute, authorOf, type Transaction } from "./change.ts"
import { hashSecret, randomText } from "./secret.ts"
import { addSession, type Client, endSession, type SignedIn } from "./sessions.ts"
import { bucketKeys, createWindow, type WindowsOptions } from "./windows.ts"

/** The effect of a link. */
export interface LinkPurpose {
  /** The only recipient of the link. */
  email: string
  /** Whether using the link creates the account. */
  isNewAccount: boolean
}

export interface SignInLinkOptions {
  pool: Pool
  /** Whether people may create accounts themselves. */
  isSignUpOpen: boolean
}

/** The limit of an account or an address is reached. */
export class LimitReached extends Error {
  override readonly name = "LimitReached"
  readonly retryAfterSeconds: number

  /** @param until when the next request is admitted */
  constructor(
    readonly until: Date,
    now: Date,
  ) {
    super("Too many requests for links")
    this.retryAfterSeconds = Math.max(1, Math.ceil((until.getTime() - now.getTime()) / 1000))
  }
}

export type SignInLinks = ReturnType<typeof createSignInLinks>

export const validMinutes = 15
const linksPerAccount = 5
const secretBytes = 32
/** The log recognises secrets by this prefix. */
const prefix = "mds_link_"

/** Each method throws Unavailable, and waits in the turn of the client's `address` at the database. */
export function createSignInLinks({ pool, isSignUpOpen }: SignInLinkOptions) {
  /** Null if the account is disabled, has another address, or is missing while sign-up is closed. */
  function purposeOf(email: string, account: Account | undefined): LinkPurpose | null {
    if (!account) return isSignUpOpen ? { email, isNewAccount: true } : null
    const isUsable = account.email === email && account.disabledAt === null
    return isUsable ? { email, isNewAccount: false } : null
  }

  return {
    /** Makes a link for an email address. @returns null if it must not be sent. @throws LimitReached */
    request: (typed: string, now: Date, address: AccountId = null) =>
      pool.runAlone(address, (db) =>
        db.transaction(async (tx) => {
          await requireFewLinks(tx, fold(typed), now)
          const account = await accountByEmail(tx, typed)
          const email = account?.email ?? typed
          const secret = await addLink(tx, email, now)
          const purpose = purposeOf(email, account)
          return purpose && { ...purpose, secret }
        }),
      ),

    /** The effect of the link; null if it is invalid. Does not use up the link. */
    find: (secret: string, now: Date, address: AccountId = null): Promise<LinkPurpose | null> =>
      pool.runAlone(address, async (db) => {
        const [link] = await db
          .select({ email: signInLinks.email })
          .from(signInLinks)
          .where(isValid(secret, now))
        return link ? purposeOf(link.email, await accountByEmail(db, link.email)) : null
      }),

    /**
     * Uses up the link and begins a session. Of two concurrent calls, one succeeds. If the database is
     * unavailable the link stays valid, unless the connection was lost in the commit.
     * @param replaces the client's earlier session, which ends
     * @returns the cookie's value; null if the link is invalid
     */
    redeem: (
      secret: string,
      client: Client,
      now: Date,
      replaces: SignedIn | null = null,
    ): Promise<string | null> =>
      pool.runAlone(client.address, (db) =>
        db.transaction(async (tx) => {
          const [link] = await tx
            .delete(signInLinks)
            .where(isValid(secret, now))
            .returning({ email: signInLinks.email })
          if (!link) return null
          const { email } = link
          const { address } = client
          await attribute(tx, authorOf({ email, address }))
          if (isSignUpOpen) await addAccount(tx, { email, plan: "standard", requestLimit: null })
          const account = and(byEmail(email), eq(accountsTable.email, email))
          const cookie = await addSession(tx, { account, client, now })
          if (cookie === null) return null
          if (replaces) await endSession(tx, { ...replaces, address }, replaces.sessionId)
          return cookie
        }),
      ),
  }
}

/**
 * Makes a link for an existing account, for an operator.
 * @returns the link's secret
 * @throws AccountError where the account does not exist or is disabled
 */
export const issueLink = (pool: Pool, email: string, now: Date): Promise<string> =>
  pool.runAlone(null, async (db) => {
    const account = await existingAccount(db, email)
    if (account.disabledAt !== null) throw new AccountError(`Account ${email} is disabled`)
    return addLink(db, account.email, now)
  })

/** The path and query of a link. @param next the local path after signing in */
export const linkPath = (secret: string, next?: string): string =>
  `/account/link?link=${secret}${next === undefined ? "" : `&next=${encodeURIComponent(next)}`}`

/** Waits for concurrent requests for the same account. */
async function requireFewLinks(tx: Transaction, emailFolded: string, now: Date): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${emailFolded}, 0))`)
  const valid = await tx
    .select({ endsAtMs: sql`${milliseconds(signInLinks.expires_at)}`.mapWith(Number) })
    .from(signInLinks)
    .where(
      and(eq(signInLinks.email_folded, emailFolded), gt(signInLinks.expires_at, now.toISOString())),
    )
    .orderBy(signInLinks.expires_at)
  const next = valid.at(-linksPerAccount)
  if (next) throw new LimitReached(new Date(next.endsAtMs), now)
}

async function addLink(db: Pick<Database, "insert">, email: string, now: Date): Promise<string> {
  const secret = prefix + randomText(secretBytes)
  await db.insert(signInLinks).values({
    sha256: hashSecret(secret),
    email,
    email_folded: fold(email),
    expires_at: new Date(now.getTime() + validMinutes * minuteMs).toISOString(),
  })
  return secret
}

const isValid = (secret: string, now: Date) =>
  and(eq(signInLinks.sha256, hashSecret(secret)), gt(signInLinks.expires_at, now.toISOString()))

/** Counts a request for a link. @throws LimitReached */
export type LimitLinks = ReturnType<typeof createLinkLimits>

const linksPerAddress = 20
/** Room for 18,000 addresses. */
const addressBytes = 8 * 1024 * 1024
/** They bound the memory of Redis. */
const addressBuckets = 16_384

/** Limits requests for links by client address, so that one client cannot send mail to many people. */
export function createLinkLimits(options: Omit<WindowsOptions, "windowMs">) {
  const addresses = createWindow({
    ...options,
    windowMs: validMinutes * minuteMs,
    maxBytes: addressBytes,
    redisKeyOf: bucketKeys("link-address", addressBuckets, options.secret),
  })
  return async (address: string): Promise<void> => {
    const { admitted, resetAtMs } = await addresses.admit(address, linksPerAddress)
    if (!admitted) throw new LimitReached(new Date(resetAtMs), options.now())
  }
}

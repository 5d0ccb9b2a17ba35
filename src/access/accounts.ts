/** Accounts and their tokens, as the command line keeps them. */
import { and, asc, eq, like, sql } from "drizzle-orm"
import type { Pool } from "../db/pool.ts"
import { accounts, tokens } from "../db/schema.ts"
import { fold } from "../resources/fold.ts"
import { instantText } from "../resources/values.ts"
import type { Plan } from "./plan.ts"
import { createToken, hashToken, prefixOf } from "./token.ts"

/** Something that a person asked for and that can't be done as asked. The message says why. */
export class AccountError extends Error {
  override readonly name = "AccountError"
}

export interface NewAccount {
  email: string
  plan: Plan
  /** Requests per window; the enterprise plan's alone. */
  requestLimit: number | null
}

/** @throws AccountError where the address is malformed or taken, or the limit does not fit the plan */
export async function createAccount(pool: Pool, account: NewAccount): Promise<void> {
  checkAccount(account)
  const { email, plan, requestLimit } = account
  const created = await pool.run(() =>
    pool.db
      .insert(accounts)
      .values({ email, email_folded: fold(email), plan, request_limit: requestLimit })
      .onConflictDoNothing()
      .returning({ id: accounts.id }),
  )
  if (created.length === 0) throw new AccountError(`There is an account ${email} already`)
}

export const listAccounts = (pool: Pool) =>
  pool.run(() =>
    pool.db
      .select({
        email: accounts.email,
        plan: accounts.plan,
        requestLimit: accounts.request_limit,
        createdAt: instantText(accounts.created_at),
        tokens:
          sql<number>`count(${tokens.id}) filter (where ${tokens.revoked_at} is null)`.mapWith(
            Number,
          ),
      })
      .from(accounts)
      .leftJoin(tokens, eq(tokens.account_id, accounts.id))
      .groupBy(accounts.id)
      .orderBy(asc(accounts.email_folded)),
  )

/**
 * Issues a token and returns it: the only time that it is known. The account is made, on the
 * standard plan, where it is missing.
 */
export async function issueToken(
  pool: Pool,
  { email, name, expiresAt }: { email: string; name: string; expiresAt: Date | null },
): Promise<string> {
  checkAccount({ email, plan: "standard", requestLimit: null })
  if (name.trim() === "") throw new AccountError("A token needs a name")
  await pool.run(() =>
    pool.db
      .insert(accounts)
      .values({ email, email_folded: fold(email), plan: "standard" })
      .onConflictDoNothing(),
  )
  const token = createToken()
  await pool.run(() =>
    pool.db.insert(tokens).values({
      account_id: sql`(select ${accounts.id} from ${accounts} where ${byEmail(email)})`,
      name,
      sha256: hashToken(token),
      prefix: prefixOf(token),
      expires_at: expiresAt?.toISOString() ?? null,
    }),
  )
  return token
}

/** The tokens of an account, oldest first. @throws AccountError where there is no such account */
export async function listTokens(pool: Pool, email: string) {
  const [account] = await pool.run(() =>
    pool.db.select({ id: accounts.id }).from(accounts).where(byEmail(email)),
  )
  if (!account) throw new AccountError(`There is no account ${email}`)
  return pool.run(() =>
    pool.db
      .select({
        prefix: tokens.prefix,
        name: tokens.name,
        createdAt: instantText(tokens.created_at),
        lastUsedAt: instantText(tokens.last_used_at),
        expiresAt: instantText(tokens.expires_at),
        revokedAt: instantText(tokens.revoked_at),
      })
      .from(tokens)
      .where(eq(tokens.account_id, account.id))
      .orderBy(asc(tokens.id)),
  )
}

/**
 * Revokes the one token that begins with `prefix`, from the next request on.
 * @returns its name and prefix
 * @throws AccountError where no token begins so, more than one does, or it is revoked already
 */
export async function revokeToken(pool: Pool, prefix: string) {
  const found = await tokensBeginningWith(pool, prefix)
  const [token, ...others] = found
  if (!token) throw new AccountError("No token begins like that")
  if (others.length > 0) {
    const shown = found.map((each) => `${each.prefix} (${each.name}, ${each.email})`).join("; ")
    throw new AccountError(`More than one token begins like that, give more of it: ${shown}`)
  }
  if (token.revokedAt !== null) throw new AccountError("That token is revoked already")
  await pool.run(() =>
    pool.db.update(tokens).set({ revoked_at: sql`now()` }).where(eq(tokens.id, token.id)),
  )
  return { name: token.name, prefix: token.prefix }
}

/** A whole token is found by its hash: past the prefix that is kept, nothing else tells tokens apart. */
function tokensBeginningWith(pool: Pool, start: string) {
  if (!/^mds_[0-9A-Za-z]+$/.test(start)) {
    throw new AccountError("A token is named by how it begins: mds_ and at least one character")
  }
  const kept = prefixOf(start)
  return pool.run(() =>
    pool.db
      .select({
        id: tokens.id,
        prefix: tokens.prefix,
        name: tokens.name,
        email: accounts.email,
        revokedAt: tokens.revoked_at,
      })
      .from(tokens)
      .innerJoin(accounts, eq(accounts.id, tokens.account_id))
      .where(
        start.length > kept.length
          ? and(eq(tokens.prefix, kept), eq(tokens.sha256, hashToken(start)))
          : like(tokens.prefix, `${start.replaceAll("_", "\\_")}%`),
      )
      .orderBy(asc(tokens.id)),
  )
}

function checkAccount({ email, plan, requestLimit }: NewAccount): void {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new AccountError(`${email} is no email address`)
  if (plan === "enterprise" && requestLimit === null) {
    throw new AccountError("The enterprise plan needs a limit")
  }
  if (plan !== "enterprise" && requestLimit !== null) {
    throw new AccountError(`The limit of the ${plan} plan is fixed`)
  }
}

const byEmail = (email: string) => eq(accounts.email_folded, fold(email))

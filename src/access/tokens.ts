/** Issuing, rotating and revoking tokens. */
import { and, asc, eq, like, sql } from "drizzle-orm"
import { accounts, tokens } from "../db/account-tables.ts"
import { milliseconds } from "../resources/values.ts"
import { addAccount, byEmail } from "./accounts.ts"
import { AccountError, type Changed, change, type Editor, type Transaction } from "./change.ts"
import { createToken, hashToken, prefixOf } from "./token.ts"

export interface NewToken {
  /** Of the token's account, which is created on the standard plan where it does not exist. */
  email: string
  /** Says what the token is for. */
  name: string
  expiresAt: Date | null
}

/** Issues a token and returns it. It is not stored and cannot be shown again. @throws AccountError */
export function issueToken(
  editor: Editor,
  { email, name, expiresAt }: NewToken,
): Promise<Changed<string>> {
  return change(editor, async (tx) => {
    await addAccount(tx, { email, plan: "standard", requestLimit: null })
    if (name.trim() === "") throw new AccountError("A token requires a name")
    const [account] = await tx.select({ id: accounts.id }).from(accounts).where(byEmail(email))
    if (!account) throw new AccountError(`Account ${email} was deleted in the meantime`)
    return addToken(tx, { accountId: account.id, name, expiresAt })
  })
}

/**
 * Revokes the token whose text begins with `prefix`, from the next request on.
 * @returns its name and prefix
 * @throws AccountError where no token or more than one has the prefix, or it is already revoked
 */
export function revokeToken(
  editor: Editor,
  prefix: string,
): Promise<Changed<{ name: string; prefix: string }>> {
  return change(editor, async (tx) => {
    const token = await unrevokedToken(tx, prefix)
    await revoke(tx, token.id)
    return { name: token.name, prefix: token.prefix }
  })
}

export interface Rotated {
  /** The new token, which cannot be shown again. */
  token: string
  name: string
  /** Of the token that it replaces. */
  prefix: string
  /** Until when that one is still valid; null where it is revoked. */
  until: Date | null
}

/**
 * Replaces the token whose text begins with `prefix` by a new one of the same name and lifetime. The
 * old one stays valid for `graceMs`, but not beyond its own expiry.
 * @throws AccountError as revoking does, and where the token has expired
 */
export function rotateToken(
  editor: Editor,
  { prefix, graceMs, now }: { prefix: string; graceMs: number; now: Date },
): Promise<Changed<Rotated>> {
  return change(editor, async (tx) => {
    const old = await unrevokedToken(tx, prefix)
    if (old.expiresMs !== null && old.expiresMs <= now.getTime()) {
      throw new AccountError("The token has expired")
    }
    const token = await addToken(tx, {
      accountId: old.accountId,
      name: old.name,
      expiresAt: old.lifetimeMs === null ? null : new Date(now.getTime() + old.lifetimeMs),
    })
    const { name } = old
    if (graceMs === 0) {
      await revoke(tx, old.id)
      return { token, name, prefix: old.prefix, until: null }
    }
    const endMs = Math.min(now.getTime() + graceMs, old.expiresMs ?? Number.POSITIVE_INFINITY)
    // The column holds whole seconds.
    const until = new Date(Math.floor(endMs / 1000) * 1000)
    await tx.update(tokens).set({ expires_at: until.toISOString() }).where(eq(tokens.id, old.id))
    return { token, name, prefix: old.prefix, until }
  })
}

async function addToken(
  tx: Transaction,
  { accountId, name, expiresAt }: { accountId: number; name: string; expiresAt: Date | null },
): Promise<string> {
  const token = createToken()
  await tx.insert(tokens).values({
    account_id: accountId,
    name,
    sha256: hashToken(token),
    prefix: prefixOf(token),
    expires_at: expiresAt?.toISOString() ?? null,
  })
  return token
}

const revoke = (tx: Transaction, id: number) =>
  tx.update(tokens).set({ revoked_at: sql`now()` }).where(eq(tokens.id, id))

/** The token that has this prefix and is not revoked, locked until the transaction ends. */
async function unrevokedToken(tx: Transaction, start: string) {
  const found = await tokensBeginningWith(tx, start)
  const [token, ...others] = found
  if (!token) throw new AccountError("No token has this prefix")
  if (others.length > 0) {
    const shown = found.map((each) => `${each.prefix} (${each.name}, ${each.email})`).join("; ")
    throw new AccountError(`Several tokens have this prefix, give more characters: ${shown}`)
  }
  if (token.revokedAt !== null) throw new AccountError("The token is already revoked")
  return token
}

/**
 * The tokens whose text begins with `start`. Longer than the stored prefix, it must be a whole token,
 * which is found by its hash.
 */
function tokensBeginningWith(tx: Transaction, start: string) {
  if (!/^mds_[0-9A-Za-z]+$/.test(start)) {
    throw new AccountError(
      "A token is identified by its prefix: mds_ and at least one more character",
    )
  }
  const stored = prefixOf(start)
  return tx
    .select({
      id: tokens.id,
      accountId: tokens.account_id,
      prefix: tokens.prefix,
      name: tokens.name,
      email: accounts.email,
      expiresMs: milliseconds(tokens.expires_at),
      /** From its creation to its expiry; null where it has none. */
      lifetimeMs: sql<
        number | null
      >`${milliseconds(tokens.expires_at)} - ${milliseconds(tokens.created_at)}`.mapWith(Number),
      revokedAt: tokens.revoked_at,
    })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.account_id))
    .where(
      start.length > stored.length
        ? and(eq(tokens.prefix, stored), eq(tokens.sha256, hashToken(start)))
        : like(tokens.prefix, `${start.replaceAll("_", "\\_")}%`),
    )
    .orderBy(asc(tokens.id))
    .for("update", { of: tokens })
}

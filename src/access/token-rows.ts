/** Adding, replacing and revoking rows of tokens, within the transactions of those who ask for it. */
import { and, eq, type SQL, sql } from "drizzle-orm"
import { accounts, tokens } from "../db/account-tables.ts"
import { milliseconds } from "../resources/values.ts"
import { AccountError, type Transaction } from "./change.ts"
import { createToken, hashToken, prefixOf } from "./token.ts"

/** Valid tokens that an account may have; and while some are being replaced. */
const maxTokens = 100
const maxTokensInRotation = 2 * maxTokens

/** Characters in the name of a token. */
export const maxNameLength = 100

/** A character that shows: no space, nothing that has no width, no empty Braille cell. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\u2800]/u

/** The name of a token, trimmed. @throws AccountError */
export function tokenName(text: string): string {
  const name = text.trim()
  if (!visible.test(name)) throw new AccountError("A token requires a name")
  if ([...name].length > maxNameLength) {
    throw new AccountError(`The name of a token has at most ${maxNameLength} characters`)
  }
  // Those that change the direction of text could make it look like another name.
  if (/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(name) || !name.isWellFormed()) {
    throw new AccountError("The name of a token must not contain control characters")
  }
  return name
}

/** The condition that a token can be used: it is neither revoked nor expired. */
export const isValidToken = (now: Date): SQL =>
  sql`(${tokens.revoked_at} is null and (${tokens.expires_at} is null or ${tokens.expires_at} > ${now.toISOString()}::timestamptz))`

export interface TokenOfAccount {
  accountId: number
  tokenId: number
}

export interface TokenRow {
  accountId: number
  /** As `tokenName` gives it. */
  name: string
  /** When it is added, by the clock that `expiresAt` follows. */
  now: Date
  expiresAt: Date | null
  forSpreadsheets: boolean
  /** The form that it is made with, which makes no second one. */
  formId: string | null
}

/** Adds a token and returns it. It is not stored and cannot be shown again. */
export async function addToken(tx: Transaction, row: TokenRow): Promise<string> {
  const token = createToken()
  await tx.insert(tokens).values({
    account_id: row.accountId,
    name: row.name,
    sha256: hashToken(token),
    prefix: prefixOf(token),
    created_at: row.now.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    for_spreadsheets: row.forSpreadsheets,
    form_id: row.formId,
  })
  return token
}

/**
 * Locks an account, so that its tokens are counted and added by one transaction at a time.
 * @throws AccountError where it is disabled or was deleted
 */
export async function lockAccount(tx: Transaction, accountId: number): Promise<void> {
  const [account] = await tx
    .select({ isDisabled: sql<boolean>`${accounts.disabled_at} is not null` })
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for("no key update")
  if (!account) throw new AccountError("The account was deleted")
  if (account.isDisabled) throw new AccountError("The account is disabled")
}

/** @throws AccountError where the account has as many tokens as it may have */
export async function checkRoom(
  tx: Transaction,
  accountId: number,
  { now, isRotation = false }: { now: Date; isRotation?: boolean },
): Promise<void> {
  const valid = await tx.$count(tokens, and(eq(tokens.account_id, accountId), isValidToken(now)))
  const most = isRotation ? maxTokensInRotation : maxTokens
  if (valid < most) return
  throw new AccountError(
    `An account can have ${most} valid tokens${isRotation ? ", including those being replaced" : ""}. Revoke one that is no longer used, then try again`,
  )
}

/** A token that can be changed. */
export interface FoundToken {
  id: number
  accountId: number
  name: string
  prefix: string
  forSpreadsheets: boolean
  expiresMs: number | null
  /** From its creation to its expiry; null where it has none. */
  lifetimeMs: number | null
  revokedAt: string | null
  replacedAt: string | null
}

/** The tokens of which this is true, with their accounts' email addresses, locked until the transaction ends. */
export const findTokens = (
  tx: Transaction,
  condition: SQL | undefined,
): Promise<(FoundToken & { email: string })[]> =>
  tx
    .select({
      id: tokens.id,
      accountId: tokens.account_id,
      prefix: tokens.prefix,
      name: tokens.name,
      forSpreadsheets: tokens.for_spreadsheets,
      email: accounts.email,
      expiresMs: milliseconds(tokens.expires_at),
      lifetimeMs: sql<
        number | null
      >`${milliseconds(tokens.expires_at)} - ${milliseconds(tokens.created_at)}`.mapWith(Number),
      revokedAt: tokens.revoked_at,
      replacedAt: tokens.replaced_at,
    })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.account_id))
    .where(condition)
    .orderBy(tokens.id)
    .for("update", { of: tokens })

/** @throws AccountError */
export function checkUnrevoked({ revokedAt }: FoundToken): void {
  if (revokedAt !== null) throw new AccountError("The token is already revoked")
}

export const revokeRow = (tx: Transaction, id: number) =>
  tx.update(tokens).set({ revoked_at: sql`now()` }).where(eq(tokens.id, id))

export interface Rotated {
  /** The new token, which cannot be shown again. */
  token: string
  name: string
  /** The prefix of the token that it replaces. */
  prefix: string
  /** Until when that one is still valid; null where it is revoked. */
  until: Date | null
}

export interface Rotation {
  graceMs: number
  now: Date
  formId: string | null
}

/**
 * Replaces a token by a new one of the same name, purpose and lifetime. The old one stays valid for
 * the grace period, but not beyond its own expiry.
 * @throws AccountError where it has expired or was replaced before: its expiry is then no longer that of
 * its lifetime
 */
export async function replaceRow(
  tx: Transaction,
  old: FoundToken,
  { graceMs, now, formId }: Rotation,
): Promise<Rotated> {
  if (old.expiresMs !== null && old.expiresMs <= now.getTime()) {
    throw new AccountError("The token has expired")
  }
  if (old.replacedAt !== null) {
    throw new AccountError("The token was replaced already: rotate its successor")
  }
  const { accountId, name, prefix, forSpreadsheets } = old
  const token = await addToken(tx, {
    accountId,
    name,
    now,
    expiresAt: old.lifetimeMs === null ? null : new Date(now.getTime() + old.lifetimeMs),
    forSpreadsheets,
    formId,
  })
  const replaced = { replaced_at: now.toISOString() }
  if (graceMs === 0) {
    await tx
      .update(tokens)
      .set({ ...replaced, revoked_at: sql`now()` })
      .where(eq(tokens.id, old.id))
    return { token, name, prefix, until: null }
  }
  const endMs = Math.min(now.getTime() + graceMs, old.expiresMs ?? Number.POSITIVE_INFINITY)
  // The column holds whole seconds.
  const until = new Date(Math.floor(endMs / 1000) * 1000)
  await tx
    .update(tokens)
    .set({ ...replaced, expires_at: until.toISOString() })
    .where(eq(tokens.id, old.id))
  return { token, name, prefix, until }
}

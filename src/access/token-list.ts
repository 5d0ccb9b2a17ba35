/** The tokens of an account, as people see them. */
import { and, desc, eq, inArray, not, or, type SQL, sql } from "drizzle-orm"
import { tokens } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"

export interface OwnToken {
  id: number
  name: string
  prefix: string
  forSpreadsheets: boolean
  createdAt: string
  lastUsedAt: string | null
  expiresAt: string | null
  revokedAt: string | null
  /** When it was rotated. It has a successor, and may still be valid for its grace period. */
  replacedAt: string | null
  /** Whether it can be used. */
  isValid: boolean
}

/** One token of an account. */
export interface TokenOfAccount {
  accountId: number
  tokenId: number
}

/** How many revoked and expired tokens are listed. */
export const listedEnded = 100

export interface TokenListOptions {
  now: Date
  /** How many revoked and expired tokens; null for all. */
  ended?: number | null
}

/** The condition that a token can be used: it is neither revoked nor expired. */
export const isValidToken = (now: Date) =>
  sql<boolean>`(${tokens.revoked_at} is null and (${tokens.expires_at} is null or ${tokens.expires_at} > ${now.toISOString()}::timestamptz))`

/** The valid tokens of an account and those that ended last, the newest first. */
export function listOwnTokens(
  pool: Pool,
  accountId: number,
  { now, ended = listedEnded }: TokenListOptions,
): Promise<OwnToken[]> {
  const ofAccount = eq(tokens.account_id, accountId)
  if (ended === null) return readTokens(pool, accountId, now)
  const newestEnded = pool.db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(ofAccount, not(isValidToken(now))))
    .orderBy(desc(tokens.id))
    .limit(ended)
  return readTokens(pool, accountId, now, or(isValidToken(now), inArray(tokens.id, newestEnded)))
}

/** @returns undefined where the account has no such token */
export async function findOwnToken(
  pool: Pool,
  { accountId, tokenId }: TokenOfAccount,
  now: Date,
): Promise<OwnToken | undefined> {
  return (await readTokens(pool, accountId, now, eq(tokens.id, tokenId)))[0]
}

const readTokens = (
  pool: Pool,
  accountId: number,
  now: Date,
  condition?: SQL,
): Promise<OwnToken[]> =>
  pool.runAlone(accountId, (db) =>
    db
      .select({
        id: tokens.id,
        name: tokens.name,
        prefix: tokens.prefix,
        forSpreadsheets: tokens.for_spreadsheets,
        createdAt: sql<string>`${instantText(tokens.created_at)}`,
        lastUsedAt: instantText(tokens.last_used_at),
        expiresAt: instantText(tokens.expires_at),
        revokedAt: instantText(tokens.revoked_at),
        replacedAt: instantText(tokens.replaced_at),
        isValid: isValidToken(now),
      })
      .from(tokens)
      .where(and(eq(tokens.account_id, accountId), condition))
      .orderBy(desc(tokens.id)),
  )

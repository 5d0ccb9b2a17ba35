/** The tokens of an account, as people see them. */
import { and, desc, eq, inArray, not, or, type SQL, sql } from "drizzle-orm"
import { tokens } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { instantText } from "../resources/values.ts"
import { isValidToken, type TokenOfAccount } from "./token-rows.ts"

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

/** How many that can't be used any more are listed. */
export const listedEnded = 100

export interface TokenListOptions {
  now: Date
  /** How many that can't be used any more; null for all. */
  ended?: number | null
}

/** The valid tokens of an account and those that ended last, the newest first. */
export function listOwnTokens(
  pool: Pool,
  accountId: number,
  { now, ended = listedEnded }: TokenListOptions,
): Promise<OwnToken[]> {
  const ofAccount = eq(tokens.account_id, accountId)
  if (ended === null) return readTokens(pool, { accountId, now, condition: ofAccount })
  const newestEnded = pool.db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(ofAccount, not(isValidToken(now))))
    .orderBy(desc(tokens.id))
    .limit(ended)
  const condition = and(ofAccount, or(isValidToken(now), inArray(tokens.id, newestEnded)))
  return readTokens(pool, { accountId, now, condition })
}

/** @returns undefined where the account has no such token */
export async function findOwnToken(
  pool: Pool,
  { accountId, tokenId }: TokenOfAccount,
  now: Date,
): Promise<OwnToken | undefined> {
  const condition = and(eq(tokens.account_id, accountId), eq(tokens.id, tokenId))
  return (await readTokens(pool, { accountId, now, condition }))[0]
}

async function readTokens(
  pool: Pool,
  { accountId, now, condition }: { accountId: number; now: Date; condition: SQL | undefined },
): Promise<OwnToken[]> {
  const rows = await pool.runAlone(accountId, () =>
    pool.db
      .select({
        id: tokens.id,
        name: tokens.name,
        prefix: tokens.prefix,
        forSpreadsheets: tokens.for_spreadsheets,
        createdAt: instantText(tokens.created_at),
        lastUsedAt: instantText(tokens.last_used_at),
        expiresAt: instantText(tokens.expires_at),
        revokedAt: instantText(tokens.revoked_at),
        replacedAt: instantText(tokens.replaced_at),
        isValid: sql<boolean>`${isValidToken(now)}`,
      })
      .from(tokens)
      .where(condition)
      .orderBy(desc(tokens.id)),
  )
  return rows.map((row) => ({ ...row, createdAt: row.createdAt ?? "" }))
}

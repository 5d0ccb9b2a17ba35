/** The tokens of an account for the pages and the command line. */
import { and, desc, eq, inArray, not, or, type SQL, sql } from "drizzle-orm"
import { tokensTable } from "../../data/db/account-tables.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { instantText } from "../../data/resources/values.ts"

export type OwnToken = Awaited<ReturnType<typeof readTokens>>[number]

/** One token of an account. */
export interface TokenOfAccount {
  accountId: number
  tokenId: number
}

/** The number of revoked and expired tokens that are listed. */
export const maxEndedTokens = 100

/** The condition for a usable token: it is neither revoked nor expired. */
export const isValidToken = (now: Date) =>
  sql<boolean>`(${tokensTable.revoked_at} is null and (${tokensTable.expires_at} is null or ${tokensTable.expires_at} > ${now.toISOString()}::timestamptz))`

/** The valid tokens of an account and the last of the revoked and expired ones, the newest first. */
export function listOwnTokens(pool: Pool, accountId: number, now: Date) {
  const newestEnded = pool.db
    .select({ id: tokensTable.id })
    .from(tokensTable)
    .where(and(eq(tokensTable.account_id, accountId), not(isValidToken(now))))
    .orderBy(desc(tokensTable.id))
    .limit(maxEndedTokens)
  return readTokens(
    pool,
    accountId,
    now,
    or(isValidToken(now), inArray(tokensTable.id, newestEnded)),
  )
}

/** @returns undefined where the account has no such token */
export async function findOwnToken(
  pool: Pool,
  { accountId, tokenId }: TokenOfAccount,
  now: Date,
): Promise<OwnToken | undefined> {
  return (await readTokens(pool, accountId, now, eq(tokensTable.id, tokenId)))[0]
}

/** The newest first. */
export const readTokens = (pool: Pool, accountId: number, now: Date, condition?: SQL) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({
        id: tokensTable.id,
        name: tokensTable.name,
        prefix: tokensTable.prefix,
        createdAt: sql<string>`${instantText(tokensTable.created_at)}`,
        lastUsedAt: instantText(tokensTable.last_used_at),
        expiresAt: instantText(tokensTable.expires_at),
        revokedAt: instantText(tokensTable.revoked_at),
        isValid: isValidToken(now),
      })
      .from(tokensTable)
      .where(and(eq(tokensTable.account_id, accountId), condition))
      .orderBy(desc(tokensTable.id)),
  )

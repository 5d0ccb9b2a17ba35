/** Whose request it is: what a server process reads and writes of tokens. */
import { and, eq, isNull, lt, or, sql } from "drizzle-orm"
import type { Pool } from "../db/pool.ts"
import { accounts, tokens } from "../db/schema.ts"
import { limitOf } from "./plan.ts"
import { hashToken, isWellFormed } from "./token.ts"

/** The account and token behind a request. */
export interface Caller {
  accountId: number
  tokenId: number
  /** Requests per window, infinite on the admin plan. */
  limit: number
}

export interface Credentials {
  /** The caller whom a token names; null where it is malformed, unknown, revoked or expired. @throws Unavailable */
  callerOf(token: string, now: Date): Promise<Caller | null>
  /** Notes that a token was used. Written at most once a minute for each token. */
  noteUse(tokenId: number, now: Date): Promise<void>
}

const noteEveryMs = 60_000

/** @param pool for look-ups @param housekeeping for what may wait */
export function createCredentials(pool: Pool, housekeeping: Pool): Credentials {
  const byHash = pool.db
    .select({
      accountId: accounts.id,
      tokenId: tokens.id,
      plan: accounts.plan,
      requestLimit: accounts.request_limit,
      expiresAt: sql<number | null>`extract(epoch from ${tokens.expires_at})`.mapWith(Number),
    })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.account_id))
    .where(and(eq(tokens.sha256, sql.placeholder("sha256")), isNull(tokens.revoked_at)))
    .prepare("token by hash")
  const notedAt = new Map<number, number>()

  return {
    callerOf: async (token, now) => {
      if (!isWellFormed(token)) return null
      const [row] = await pool.run(() => byHash.execute({ sha256: hashToken(token) }))
      if (!row) return null
      if (row.expiresAt !== null && row.expiresAt * 1000 <= now.getTime()) return null
      const { accountId, tokenId } = row
      return { accountId, tokenId, limit: limitOf(row.plan, row.requestLimit) }
    },

    noteUse: async (tokenId, now) => {
      const noted = notedAt.get(tokenId)
      if (noted !== undefined && now.getTime() - noted < noteEveryMs) return
      notedAt.set(tokenId, now.getTime())
      const lastMinute = new Date(now.getTime() - noteEveryMs).toISOString()
      await housekeeping.run(() =>
        housekeeping.db
          .update(tokens)
          .set({ last_used_at: now.toISOString() })
          .where(
            and(
              eq(tokens.id, tokenId),
              // Another process may have written it within the minute.
              or(isNull(tokens.last_used_at), lt(tokens.last_used_at, lastMinute)),
            ),
          ),
      )
    },
  }
}

/** Looks tokens up in the database. */
import { and, eq, isNull, sql } from "drizzle-orm"
import { accounts, type Plan, tokens } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { milliseconds } from "../resources/values.ts"
import { limitOf } from "./plan.ts"

/** The account and token behind a request. */
export interface Caller {
  accountId: number
  tokenId: number
  plan: Plan
  /** Requests per window, infinite on the admin plan. */
  limit: number
}

export interface ValidToken {
  caller: Caller
  expiresMs: number
}

/** Finds a token by its hash; null where it is unknown, revoked or of a disabled account. */
export function createTokenLookup(pool: Pool) {
  const byHash = pool.db
    .select({
      accountId: accounts.id,
      tokenId: tokens.id,
      plan: accounts.plan,
      requestLimit: accounts.request_limit,
      expiresMs: milliseconds(tokens.expires_at),
    })
    .from(tokens)
    .innerJoin(accounts, eq(accounts.id, tokens.account_id))
    .where(
      and(
        eq(tokens.sha256, sql.placeholder("hash")),
        isNull(tokens.revoked_at),
        isNull(accounts.disabled_at),
      ),
    )
    .prepare("token by hash")

  return async (hash: string, account: AccountId): Promise<ValidToken | null> => {
    const [found] = await pool.runAlone(account, () => byHash.execute({ hash }))
    if (!found) return null
    const { expiresMs, requestLimit, ...caller } = found
    return {
      caller: { ...caller, limit: limitOf(caller.plan, requestLimit) },
      expiresMs: expiresMs ?? Number.POSITIVE_INFINITY,
    }
  }
}

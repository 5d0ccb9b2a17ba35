/** Looks tokens up in the database. */
import { and, eq, isNull, sql } from "drizzle-orm"
import { accounts, type Plan, tokens } from "../db/account-tables.ts"
import { createBatchedReads } from "../db/pool/batched-reads.ts"
import type { Pool } from "../db/pool/pool.ts"
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
export type TokenLookup = (hash: string) => Promise<ValidToken | null>

/** Lookups that wait for a connection at the same time share a statement. */
export function createTokenLookup(pool: Pool): TokenLookup {
  const byHashes = pool.db
    .select({
      sha256: tokens.sha256,
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
        sql`${tokens.sha256} = any(${sql.placeholder("hashes")}::text[])`,
        isNull(tokens.revoked_at),
        isNull(accounts.disabled_at),
      ),
    )
    .prepare("tokens by hash")

  const read = createBatchedReads(pool.run, async (hashes: readonly string[]) => {
    // Hexadecimal digits need no quotes in an array literal.
    const rows = await byHashes.execute({ hashes: `{${hashes.join(",")}}` })
    return new Map(
      rows.map(({ sha256, expiresMs, requestLimit, ...caller }): [string, ValidToken] => [
        sha256,
        {
          caller: { ...caller, limit: limitOf(caller.plan, requestLimit) },
          expiresMs: expiresMs ?? Number.POSITIVE_INFINITY,
        },
      ]),
    )
  })
  return async (hash) => (await read(hash)) ?? null
}

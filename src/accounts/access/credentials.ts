/**
 * Authentication: finds the caller of a token.
 *
 * The cache has the callers of valid tokens, so that a token in use costs no query. PostgreSQL notifies every
 * process when an account or one of its tokens changes, and each process invalidates the entries of that
 * account. A process without this subscription uses no cached caller. An entry also expires after
 * `maxStalenessMs`, in case a notification is lost while the connection stays open. Every request with an
 * invalid token is looked up, in the turns of its address.
 *
 * Tokens are stored and looked up only by their SHA-256, in memory and in the database. The duration of a
 * lookup reveals nothing about other tokens, because a client cannot choose the hash.
 */
import { and, eq, isNull, lt, or, sql } from "drizzle-orm"
import { type AccountPlan, accountsTable, tokensTable } from "../../data/db/account-tables.ts"
import { type CacheSizes, createCache } from "../../data/db/cache.ts"
import { isRecent } from "../../data/db/is-recent.ts"
import { maxStalenessMs } from "../../data/db/notifications.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import type { AccountId } from "../../data/db/pool/turns.ts"
import { milliseconds } from "../../data/resources/values.ts"
import { hashSecret, isWellFormed, tokenLength } from "./secret.ts"
import { limitOf } from "./windows.ts"

/** The account and token behind a request. */
export interface Caller {
  accountId: number
  tokenId: number
  plan: AccountPlan
  /** Requests per window, infinite on the admin plan. */
  limit: number
  /** When the token expires, ms since 1970; infinite without an expiry. */
  expiresMs: number
}

export type Credentials = ReturnType<typeof createCredentials>

const recordEveryMs = 60_000
const never = Number.NEGATIVE_INFINITY

interface CachedToken {
  caller: Caller
  /**
   * When it was read; `never` after it was invalidated. An invalidated entry still shows that the token was
   * valid.
   */
  readMs: number
  /** When the use of the token was last recorded. */
  recordedMs: number
}

export interface CredentialOptions {
  pools: {
    /** For lookups. */
    records: Pool
    /** For writes. */
    accounts: Pool
  }
  sizes: Pick<CacheSizes, "tokens">
  /** Receives the reason why the last use of a token was not recorded. */
  onUseNotRecorded: (error: unknown) => void
}

export function createCredentials({ pools, sizes, onUseNotRecorded }: CredentialOptions) {
  const lookUp = createTokenLookup(pools.records)
  const valid = createCache<CachedToken>(sizes.tokens, () => 150)
  const pending = new Map<string, Promise<CachedToken | null>>()
  let subscribed = false

  /** The cached token; undefined if it is missing or may be out of date. */
  function cached(hash: string, nowMs: number): CachedToken | undefined {
    const token = subscribed ? valid.get(hash) : undefined
    return token && isRecent(token.readMs, nowMs, maxStalenessMs) ? token : undefined
  }

  /**
   * Concurrent lookups of one token share a query. The result is cached unless a notification arrived in
   * between or this process is not subscribed.
   */
  function read(hash: string, nowMs: number, address: AccountId): Promise<CachedToken | null> {
    const shared = subscribed ? pending.get(hash) : undefined
    if (shared) return shared
    // A token that was valid before skips the queue of its address.
    const result: Promise<CachedToken | null> = lookUp(
      hash,
      valid.get(hash)?.caller.accountId ?? address,
    )
      .then((caller) => {
        const readMs = pending.get(hash) === result ? nowMs : never
        if (!caller) {
          valid.delete(hash)
          return null
        }
        const token = { caller, readMs, recordedMs: valid.get(hash)?.recordedMs ?? never }
        valid.set(hash, token)
        return token
      })
      .finally(() => {
        if (pending.get(hash) === result) pending.delete(hash)
      })
    if (subscribed) pending.set(hash, result)
    return result
  }

  /** Records, at most once a minute, that a token is in use. */
  function recordUse(token: CachedToken, nowMs: number): void {
    if (isRecent(token.recordedMs, nowMs, recordEveryMs)) return
    token.recordedMs = nowMs
    const oneMinuteAgo = new Date(nowMs - recordEveryMs).toISOString()
    pools.accounts
      .runAlone(null, (db) =>
        db
          .update(tokensTable)
          .set({ last_used_at: new Date(nowMs).toISOString() })
          .where(
            and(
              eq(tokensTable.id, token.caller.tokenId),
              // Another process may have written it within the minute.
              or(isNull(tokensTable.last_used_at), lt(tokensTable.last_used_at, oneMinuteAgo)),
            ),
          ),
      )
      .catch(onUseNotRecorded)
  }

  /** Invalidates the cached tokens of an account; undefined means all accounts. */
  function invalidate(accountId: number | undefined): void {
    pending.clear()
    for (const token of valid.values()) {
      if (accountId === undefined || token.caller.accountId === accountId) token.readMs = never
    }
  }

  return {
    cacheReadings: () => ({ tokens: valid.readings() }),
    /**
     * The caller that a token identifies, whose use is recorded; null where the token is malformed,
     * unknown, revoked or expired, or its account is disabled.
     * @param address of the client, which takes turns at the database for tokens that were not valid before
     * @throws Unavailable
     */
    callerOf: async (
      token: string,
      now: Date,
      address: AccountId = null,
    ): Promise<Caller | null> => {
      if (token.length !== tokenLength) return null
      const hash = hashSecret(token)
      const nowMs = now.getTime()
      // The checksum costs more than all other checks, so only unknown tokens take it.
      const found =
        cached(hash, nowMs) ?? (isWellFormed(token) ? await read(hash, nowMs, address) : null)
      if (!found || nowMs >= found.caller.expiresMs) return null
      recordUse(found, nowMs)
      return found.caller
    },

    /** Sets whether this process is subscribed to notifications of changes. */
    setSubscribed: (isSubscribed: boolean): void => {
      subscribed = isSubscribed
      invalidate(undefined)
    },
    invalidate,
  }
}

/** Finds a token by its hash; null where it is unknown, revoked or of a disabled account. */
export function createTokenLookup(pool: Pool) {
  const byHash = pool.db
    .select({
      accountId: accountsTable.id,
      tokenId: tokensTable.id,
      plan: accountsTable.plan,
      requestLimit: accountsTable.request_limit,
      expiresMs: milliseconds(tokensTable.expires_at),
    })
    .from(tokensTable)
    .innerJoin(accountsTable, eq(accountsTable.id, tokensTable.account_id))
    .where(
      and(
        eq(tokensTable.sha256, sql.placeholder("hash")),
        isNull(tokensTable.revoked_at),
        isNull(accountsTable.disabled_at),
      ),
    )
    .prepare("token by hash")

  return async (hash: string, account: AccountId): Promise<Caller | null> => {
    const [found] = await pool.runAlone(account, () => byHash.execute({ hash }))
    if (!found) return null
    const { expiresMs, requestLimit, ...caller } = found
    return {
      ...caller,
      limit: limitOf(caller.plan, requestLimit),
      expiresMs: expiresMs ?? Number.POSITIVE_INFINITY,
    }
  }
}

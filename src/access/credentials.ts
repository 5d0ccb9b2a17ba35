/**
 * Authentication: finds the caller that a token identifies.
 *
 * The result of each lookup is cached, so that a token in use costs no query. PostgreSQL notifies
 * every process when an account or one of its tokens changes, which invalidates the entries of that
 * account. While a process is not subscribed to these notifications, it uses no cached result. In
 * case a notification is lost without the connection failing, an entry is used for at most
 * `maxStalenessMs` and then read again: that is the longest that a change can go unnoticed.
 *
 * Tokens are stored and looked up by their SHA-256 alone, in memory as in the database. The time that
 * a lookup takes reveals nothing about other tokens, because a client cannot choose the hash that is
 * looked up.
 */
import { and, eq, isNull, lt, or } from "drizzle-orm"
import { tokens } from "../db/account-tables.ts"
import { type CacheSizes, createCache } from "../db/cache.ts"
import { isRecent } from "../db/is-recent.ts"
import { maxStalenessMs } from "../db/notifications.ts"
import type { Pool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import { hashSecret } from "./secret.ts"
import { hasTokenLength, isWellFormed } from "./token.ts"
import { type Caller, createTokenLookup, type ValidToken } from "./token-lookup.ts"

export type Credentials = ReturnType<typeof createCredentials>

const recordEveryMs = 60_000
/** Once more accounts have changed than this, everything is invalidated. */
const maxChangedAccounts = 10_000

/** When a cached result was read. */
interface ReadAt {
  readMs: number
  /** How many notifications this process had received by then. */
  notifications: number
}

export interface CredentialPools {
  /** For lookups. */
  records: Pool
  /** For writes. */
  accounts: Pool
}

export function createCredentials(
  { records, accounts }: CredentialPools,
  sizes: Pick<CacheSizes, "tokens" | "invalidTokens" | "tokenUses">,
) {
  const lookUp = createTokenLookup(records)
  const valid = createCache<ValidToken & ReadAt>(sizes.tokens, () => 140)
  /** The negative cache. */
  const invalid = createCache<ReadAt>(sizes.invalidTokens, () => 60)
  const pending = new Map<string, Promise<ValidToken | null>>()
  const recordedAt = createCache<number>(sizes.tokenUses, () => 16)
  let subscribed = false
  /** How many were received; and how many by the last change of all accounts, and of each account. */
  let notifications = 0
  let allChanged = 0
  const changed = new Map<number, number>()

  /** @param changedAt how many notifications had been received by the last change that matters */
  const isFresh = (entry: ReadAt, changedAt: number, nowMs: number) =>
    subscribed && isRecent(entry.readMs, nowMs, maxStalenessMs) && entry.notifications >= changedAt

  /** The cached result; undefined where there is none to use. */
  function cached(hash: string, nowMs: number): ValidToken | null | undefined {
    const negative = invalid.get(hash)
    if (negative && isFresh(negative, notifications, nowMs)) return null
    const token = valid.get(hash)
    const changedAt = token && Math.max(allChanged, changed.get(token.caller.accountId) ?? 0)
    return token && isFresh(token, changedAt ?? 0, nowMs) ? token : undefined
  }

  /**
   * Concurrent lookups of one token share a query, unless a notification arrived in between or this
   * process is not subscribed. The result is cached even then: it is not used as a result then, but
   * shows that the token was valid.
   */
  function read(hash: string, readMs: number, address: AccountId): Promise<ValidToken | null> {
    const shared = subscribed ? pending.get(hash) : undefined
    if (shared) return shared
    const readAt: ReadAt = { readMs, notifications }
    // A token that was valid before does not wait behind others of its address.
    const result = lookUp(hash, valid.get(hash)?.caller.accountId ?? address)
      .then((token) => {
        valid.delete(hash)
        invalid.delete(hash)
        if (token) valid.set(hash, { ...token, ...readAt })
        else invalid.set(hash, readAt)
        return token
      })
      .finally(() => {
        if (pending.get(hash) === result) pending.delete(hash)
      })
    if (subscribed) pending.set(hash, result)
    return result
  }

  /** Invalidates what is cached of an account; undefined: of all accounts. */
  function invalidate(accountId: number | undefined): void {
    notifications++
    pending.clear()
    if (accountId !== undefined && changed.size < maxChangedAccounts) {
      changed.set(accountId, notifications)
    } else {
      allChanged = notifications
      changed.clear()
    }
  }

  return {
    cacheReadings: () => ({ tokens: valid.readings(), invalid_tokens: invalid.readings() }),
    /**
     * The caller that a token identifies; null where the token is malformed, unknown, revoked or
     * expired, or its account is disabled.
     * @param address of the client, which takes turns at the database for tokens that were not valid before
     * @throws Unavailable
     */
    callerOf: async (
      token: string,
      now: Date,
      address: AccountId = null,
    ): Promise<Caller | null> => {
      if (!hasTokenLength(token)) return null
      const hash = hashSecret(token)
      const nowMs = now.getTime()
      let found = cached(hash, nowMs)
      if (found === undefined) {
        // Checked only here: the checksum costs more than all else.
        if (!isWellFormed(token)) return null
        found = await read(hash, nowMs, address)
      }
      return found && nowMs < found.expiresMs ? found.caller : null
    },

    /** Records that a token was used. Written at most once a minute for each token. */
    recordUse: async (tokenId: number, now: Date): Promise<void> => {
      const recorded = recordedAt.get(String(tokenId))
      if (recorded !== undefined && isRecent(recorded, now.getTime(), recordEveryMs)) return
      recordedAt.set(String(tokenId), now.getTime())
      const oneMinuteAgo = new Date(now.getTime() - recordEveryMs).toISOString()
      await accounts.runAlone(null, (db) =>
        db
          .update(tokens)
          .set({ last_used_at: now.toISOString() })
          .where(
            and(
              eq(tokens.id, tokenId),
              // Another process may have written it within the minute.
              or(isNull(tokens.last_used_at), lt(tokens.last_used_at, oneMinuteAgo)),
            ),
          ),
      )
    },

    /** Whether this process is subscribed to notifications of changes from now on. */
    setSubscribed: (isSubscribed: boolean): void => {
      subscribed = isSubscribed
      invalidate(undefined)
    },
    invalidate,
  }
}

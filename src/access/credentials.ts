/**
 * Whose request it is, as a server process knows it.
 *
 * What the database said of a token is kept, so that a token in use costs no look-up. It is dropped
 * the moment a notice says that its account or one of its tokens has changed, and nothing is kept
 * while notices do not come. Should one be lost without a word, what is known is believed for
 * `believedMs` and then read again: that is the longest that a change can go unseen.
 *
 * Tokens are kept by their SHA-256 alone, in memory as in the database, and found by it. How long
 * that takes tells nothing of any other token, for nobody can choose the hash that is looked up.
 */
import { and, eq, isNull, lt, or, sql } from "drizzle-orm"
import { accounts, tokens } from "../db/account-tables.ts"
import { type CacheSizes, createCache } from "../db/cache.ts"
import { createBatchedReads } from "../db/pool/batched-reads.ts"
import type { Pool } from "../db/pool/pool.ts"
import { milliseconds } from "../resources/values.ts"
import { limitOf, type Plan } from "./plan.ts"
import { hashToken, isWellFormed } from "./token.ts"

/** The account and token behind a request. */
export interface Caller {
  accountId: number
  tokenId: number
  plan: Plan
  /** Requests per window, infinite on the admin plan. */
  limit: number
}

export interface Credentials {
  /**
   * The caller whom a token names; null where it is malformed, unknown, revoked or expired, or its
   * account disabled.
   * @param isSuspect whether it comes from where many came that named nobody; asked of a token that
   * this process has not known to be valid, where it must be looked up
   * @throws Unavailable
   */
  callerOf(token: string, now: Date, isSuspect?: () => boolean): Promise<Caller | null>
  /** Notes that a token was used. Written at most once a minute for each token. */
  noteUse(tokenId: number, now: Date): Promise<void>
  /** Notices come from now on, or not any more. */
  setNoticed(noticed: boolean): void
  /** Drops what is known of an account; undefined: of all. */
  forget(accountId: number | undefined): void
}

export const believedMs = 30_000
const noteEveryMs = 60_000
/** Where more accounts have changed, all that is known is dropped. */
const changedAccounts = 10_000

interface Found {
  caller: Caller
  expiresMs: number
}

interface Asked {
  /** When, and after how many notices, the database was asked. */
  askedMs: number
  notices: number
}

export interface CredentialPools {
  /** For look-ups. */
  lookups: Pool
  /** For look-ups of suspects, whose flood then delays nobody else's. */
  suspects: Pool
  /** For what may wait. */
  housekeeping: Pool
}

export function createCredentials(
  pools: CredentialPools,
  sizes: Pick<CacheSizes, "tokens" | "refusedTokens" | "tokenUses">,
): Credentials {
  const { housekeeping } = pools
  const readers = { trusted: tokenReader(pools.lookups), suspect: tokenReader(pools.suspects) }
  const known = createCache<Found & Asked>(sizes.tokens, () => 140)
  const refused = createCache<Asked>(sizes.refusedTokens, () => 60)
  const reading = new Map<string, Promise<Found | null>>()
  const notedAt = createCache<number>(sizes.tokenUses, () => 16)
  let noticed = false
  /** How many have come, and how many had come when each account last changed, and any account. */
  let notices = 0
  let changedAll = 0
  const changed = new Map<number, number>()

  const isBelieved = ({ askedMs, notices: had }: Asked, changedAfter: number, nowMs: number) =>
    // Either way, for a clock may be set back.
    noticed && Math.abs(nowMs - askedMs) < believedMs && had >= changedAfter

  function keptOf(hash: string, nowMs: number): Found | null | undefined {
    const refusal = refused.get(hash)
    if (refusal && isBelieved(refusal, notices, nowMs)) return null
    const found = known.get(hash)
    const changedAfter = found && Math.max(changedAll, changed.get(found.caller.accountId) ?? 0)
    return found && isBelieved(found, changedAfter ?? 0, nowMs) ? found : undefined
  }

  /**
   * Callers who ask for one token at once share a look-up, unless a notice came in between or none
   * come. What is found is kept in either case: not to be believed then, but as a token that was valid.
   */
  function look(hash: string, askedMs: number, suspect: boolean): Promise<Found | null> {
    const under = noticed ? reading.get(hash) : undefined
    if (under) return under
    const read = suspect ? readers.suspect : readers.trusted
    const asked = { askedMs, notices }
    const looking = read(hash)
      .then((found) => {
        known.delete(hash)
        refused.delete(hash)
        if (found) known.set(hash, { ...found, ...asked })
        else refused.set(hash, asked)
        return found
      })
      .finally(() => {
        if (reading.get(hash) === looking) reading.delete(hash)
      })
    if (noticed) reading.set(hash, looking)
    return looking
  }

  /** A token that was valid is no invention: its caller does not wait with those of his address. */
  const isInvented = (hash: string, isSuspect: () => boolean) => !known.get(hash) && isSuspect()

  function forget(accountId: number | undefined): void {
    notices++
    reading.clear()
    if (accountId !== undefined && changed.size < changedAccounts) {
      changed.set(accountId, notices)
    } else {
      changedAll = notices
      changed.clear()
    }
  }

  return {
    callerOf: async (token, now, isSuspect = () => false) => {
      if (!isWellFormed(token)) return null
      const hash = hashToken(token)
      const nowMs = now.getTime()
      const kept = keptOf(hash, nowMs)
      const found = kept === undefined ? await look(hash, nowMs, isInvented(hash, isSuspect)) : kept
      return found && nowMs < found.expiresMs ? found.caller : null
    },

    noteUse: async (tokenId, now) => {
      const noted = notedAt.get(String(tokenId))
      if (noted !== undefined && now.getTime() - noted < noteEveryMs) return
      notedAt.set(String(tokenId), now.getTime())
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

    setNoticed: (comes) => {
      noticed = comes
      forget(undefined)
    },
    forget,
  }
}

/** Reads tokens that are neither revoked nor of a disabled account, by their hashes. */
function tokenReader(pool: Pool): (hash: string) => Promise<Found | null> {
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
    // Hexadecimal digits need no quotes in an array.
    const rows = await byHashes.execute({ hashes: `{${hashes.join(",")}}` })
    return new Map(
      rows.map(({ sha256, expiresMs, requestLimit, ...caller }): [string, Found] => [
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

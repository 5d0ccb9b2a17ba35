/**
 * Passwords of accounts. Neither the response to an attempt nor its duration reveals whether an account
 * exists, has a password or is disabled: each attempt reads one row and computes one hash.
 */
import { and, eq, isNull, sql } from "drizzle-orm"
import { accounts } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { passwords, sessions } from "../db/sign-in-tables.ts"
import { byEmail } from "./accounts.ts"
import type { PasswordAttempt, PasswordHashing } from "./password-hash.ts"
import { attributeToOwner, endSessions, type SessionOfAccount } from "./session-rows.ts"

export interface PasswordOptions {
  pool: Pool
  hashing: PasswordHashing
}

export type Passwords = ReturnType<typeof createPasswords>

/** Each method throws Unavailable, and HashingBusy where it hashes. */
export function createPasswords({ pool, hashing }: PasswordOptions) {
  async function accountBy(email: string) {
    const [found] = await pool.runAlone(null, (db) =>
      db
        .select({ id: accounts.id, hash: passwords.hash })
        .from(accounts)
        .leftJoin(passwords, eq(passwords.account_id, accounts.id))
        .where(and(byEmail(email), isNull(accounts.disabled_at))),
    )
    return found
  }

  return {
    /** The account with this email address and password; null where there is none or it is disabled. */
    accountOf: async (email: string, attempt: PasswordAttempt): Promise<number | null> =>
      (await hashing.matching(attempt, () => accountBy(email)))?.id ?? null,

    /** Whether the account has a password. */
    isSet: (accountId: number): Promise<boolean> =>
      pool.runAlone(
        null,
        async (db) => (await db.$count(passwords, eq(passwords.account_id, accountId))) > 0,
      ),

    /**
     * Sets a password, ends all other sessions of the account and withdraws its one-time links.
     * @param sessionId the session that sets it
     * @param address of the client
     * @returns false if that session has ended or the account was disabled
     */
    set: async (
      { accountId, sessionId }: SessionOfAccount,
      password: string,
      address: string,
    ): Promise<boolean> => {
      const hash = await hashing.hash(password, address)
      return pool.runAlone(null, (db) =>
        db.transaction(async (tx) => {
          await attributeToOwner(tx, accountId, address)
          const [session] = await tx
            .select({ id: sessions.id })
            .from(sessions)
            .innerJoin(accounts, eq(accounts.id, sessions.account_id))
            .where(
              and(
                eq(sessions.id, sessionId),
                eq(sessions.account_id, accountId),
                isNull(accounts.disabled_at),
              ),
            )
            .for("update", { of: sessions })
          if (!session) return false
          await tx
            .insert(passwords)
            .values({ account_id: accountId, hash })
            .onConflictDoUpdate({
              target: passwords.account_id,
              set: { hash, password_set_at: sql`now()` },
            })
          await endSessions(tx, accountId, sessionId)
          return true
        }),
      )
    },
  }
}

/**
 * Passwords of accounts. Whether an account exists, has a password or is disabled shows neither in the
 * answer to an attempt nor in its time: each attempt reads one row and computes one hash.
 */
import { and, eq, isNull, sql } from "drizzle-orm"
import { accounts } from "../db/account-tables.ts"
import type { Pool } from "../db/pool/pool.ts"
import { passwords, sessions } from "../db/sign-in-tables.ts"
import { byEmail } from "./accounts.ts"
import { createPasswordHashing } from "./password-hash.ts"
import { attributeToOwner, endSessions, signIn } from "./session-rows.ts"
import type { SessionOfAccount } from "./sessions.ts"

export interface Passwords {
  /**
   * The account with this email address and password; null where there is none or it is disabled.
   * @param address of the client
   * @param onTurn called just before the password is hashed; if it throws, nothing is hashed
   * @throws HashingBusy; Unavailable; and as `onTurn` does
   */
  accountOf(
    email: string,
    password: string,
    address: string,
    onTurn?: () => Promise<void>,
  ): Promise<number | null>
  /** Whether the account has a password. @throws Unavailable */
  isSet(accountId: number): Promise<boolean>
  /** Whether this is the account's password; otherwise as `accountOf`. */
  isCurrent(
    accountId: number,
    password: string,
    address: string,
    onTurn?: () => Promise<void>,
  ): Promise<boolean>
  /**
   * Sets a password, ends all other sessions of the account and withdraws its one-time links.
   * @param sessionId the session in which it is set
   * @param address of the client
   * @returns whether it was set: not if that session has ended or the account was disabled
   * @throws HashingBusy; Unavailable
   */
  set(session: SessionOfAccount, password: string, address: string): Promise<boolean>
}

export interface PasswordOptions {
  pool: Pool
  /** Receives the error for a stored hash that is none. */
  onMalformedHash: (error: unknown) => void
}

export function createPasswords({ pool, onMalformedHash }: PasswordOptions): Passwords {
  const hashing = createPasswordHashing({ onMalformedHash })

  async function passwordOf(accountId: number) {
    const [found] = await pool.runAlone(signIn, () =>
      pool.db
        .select({ hash: passwords.hash })
        .from(passwords)
        .where(eq(passwords.account_id, accountId)),
    )
    return found
  }

  async function accountBy(email: string) {
    const [found] = await pool.runAlone(signIn, () =>
      pool.db
        .select({ id: accounts.id, hash: passwords.hash })
        .from(accounts)
        .leftJoin(passwords, eq(passwords.account_id, accounts.id))
        .where(and(byEmail(email), isNull(accounts.disabled_at))),
    )
    return found
  }

  return {
    accountOf: async (email, password, address, onTurn) =>
      (await hashing.matching(password, () => accountBy(email), address, onTurn))?.id ?? null,

    isSet: async (accountId) => (await passwordOf(accountId)) !== undefined,

    isCurrent: async (accountId, password, address, onTurn) =>
      (await hashing.matching(password, () => passwordOf(accountId), address, onTurn)) !== null,

    set: async ({ accountId, sessionId }, password, address) => {
      const hash = await hashing.hash(password, address)
      return pool.runAlone(signIn, () =>
        pool.db.transaction(async (tx) => {
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

/**
 * How often may be tried to sign in, and to have a one-time link mailed, in a quarter of an hour: by
 * account, so that no password is guessed by many together, and by client address, so that one client
 * does not try many accounts or send mail to many people. An account is what was typed, whether it
 * exists or not, so that a limit tells nothing about it.
 *
 * An attempt counts from its beginning, so that many at once are no more guesses. One that succeeds then
 * gives its account a further one. After ten wrong guesses the right password is refused too, or else
 * guessing could go on. Two ways in are left to somebody who is kept out by the guesses of others: a
 * session of the account, where one is asked for the password again, has attempts of its own; and the
 * one-time link has limits of its own.
 */
import type { RedisConnection } from "../redis/connection.ts"
import { digest } from "../text/digest.ts"
import { fold } from "../text/fold.ts"
import { bucketLayout } from "./window/shared-window.ts"
import { createWindow } from "./windows.ts"

export interface Attempt {
  /** When the next one is admitted; null if this one is. */
  limitedUntil: Date | null
  /** Call it if the password was right. */
  succeeded(): Promise<void>
}

export interface SignInLimits {
  /** Counts an attempt with a password. @param sessionId of the account's session that the client has */
  attempt(email: string, address: string, sessionId?: string): Promise<Attempt>
  /** Counts a request for a link. @returns when the next one is admitted; null if this one is */
  requestLink(email: string, address: string): Promise<Date | null>
}

export interface SignInLimitOptions {
  now: () => Date
  redis: RedisConnection | null
}

const windowMs = 15 * 60_000
/** Ends before the attempt that it was: however late it is counted, it admits no guess more. */
const successWindowMs = windowMs - 60_000
/** The most that one account may have; beyond, its attempts count. */
const maxSuccesses = 1_000
/** The memory of each of the five kinds of window: room for tens of thousands of accounts and addresses. */
const maxBytes = 8 * 1024 * 1024

export const attemptsPerAccount = 10
export const attemptsPerAddress = 100
export const linksPerAccount = 5
export const linksPerAddress = 20

export function createSignInLimits({ now, redis }: SignInLimitOptions): SignInLimits {
  const window = (name: string, ofMs = windowMs) =>
    createWindow({ windowMs: ofMs, maxBytes, now, redis, layout: bucketLayout(name) })
  const attempts = {
    addresses: window("sign-in-address"),
    accounts: window("sign-in-account"),
    successes: window("sign-in-success", successWindowMs),
  }
  const links = { addresses: window("link-address"), accounts: window("link-account") }
  const keyOf = (email: string): string => digest(fold(email))

  return {
    // By address first, so that a client past its limit there uses up no account's.
    attempt: async (email, address, sessionId) => {
      const key = sessionId === undefined ? keyOf(email) : digest(`session ${sessionId}`)
      const limited = (limitedUntil: Date): Attempt => ({ limitedUntil, succeeded: async () => {} })
      const byAddress = await attempts.addresses.admit(address, attemptsPerAddress)
      if (!byAddress.admitted) return limited(new Date(byAddress.resetAtMs))
      const { remaining } = await attempts.successes.peek(key, maxSuccesses)
      const limit = attemptsPerAccount + maxSuccesses - remaining
      const byAccount = await attempts.accounts.admit(key, limit)
      if (!byAccount.admitted) return limited(new Date(byAccount.resetAtMs))
      return {
        limitedUntil: null,
        succeeded: async () => {
          await attempts.successes.admit(key, maxSuccesses)
        },
      }
    },

    requestLink: async (email, address) => {
      const byAddress = await links.addresses.admit(address, linksPerAddress)
      if (!byAddress.admitted) return new Date(byAddress.resetAtMs)
      const byAccount = await links.accounts.admit(keyOf(email), linksPerAccount)
      return byAccount.admitted ? null : new Date(byAccount.resetAtMs)
    },
  }
}

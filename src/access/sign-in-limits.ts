/**
 * How often may be tried to sign in, and to have a one-time link mailed, in a quarter of an hour: by
 * account, so that no password is guessed by many together, and by client address, so that one client
 * does not try many accounts or send mail to many people. An account is what was typed, whether it
 * exists or not, so that a limit tells nothing about it.
 *
 * An attempt counts when its password is about to be hashed, so that many at once are no more guesses,
 * and those that are refused because too many wait are none. So hashing bounds how many accounts are
 * counted at a time, and all of them fit into memory: a flood of made-up addresses evicts no window that
 * still counts.
 *
 * An attempt that succeeds gives its account a further one. After ten wrong guesses the right password is
 * refused too, or else guessing could go on. Two ways in are left to somebody who is kept out by the
 * guesses of others: a session of the account, where one is asked for the password again, has attempts of
 * its own; and the one-time link has limits of its own.
 */
import type { WindowState } from "../http/rate-limit-headers.ts"
import type { RedisConnection } from "../redis/connection.ts"
import { digest } from "../text/digest.ts"
import { fold } from "../text/fold.ts"
import { bucketKeys, type Clocks, createWindow } from "./windows.ts"

/** The limit of an account or an address is reached. */
export class LimitReached extends Error {
  override readonly name = "LimitReached"

  /** @param until when the next one is admitted */
  constructor(
    readonly until: Date,
    readonly retryAfterSeconds: number,
  ) {
    super("Too many attempts")
  }
}

export type SignInLimits = ReturnType<typeof createSignInLimits>

export interface SignInLimitOptions extends Clocks {
  redis: RedisConnection | null
}

const windowMs = 15 * 60_000
/** Ends before the attempt that it was: however late it is counted, it admits no guess more. */
const successWindowMs = windowMs - 60_000
/** The most that one account may have; beyond, its attempts count. */
const maxSuccesses = 1_000
/** The memory of a kind of window: room for 19,000 accounts or addresses. */
const maxBytes = 8 * 1024 * 1024
/** Room for 50,000 accounts: more than can be hashed for in a window, two at once in 40 ms or longer. */
const maxAttemptBytes = 3 * maxBytes

/** In Redis. So many that the attempts on a few thousand accounts keep nobody else out. */
const buckets = 65_536

export const attemptsPerAccount = 10
export const attemptsPerAddress = 100
export const linksPerAccount = 5
export const linksPerAddress = 20

export function createSignInLimits(options: SignInLimitOptions) {
  const window = (name: string, { ofMs = windowMs, ofBytes = maxBytes } = {}) =>
    createWindow({
      ...options,
      windowMs: ofMs,
      maxBytes: ofBytes,
      redisKeyOf: bucketKeys(name, buckets),
    })
  const attempts = {
    addresses: window("sign-in-address"),
    accounts: window("sign-in-account", { ofBytes: maxAttemptBytes }),
    successes: window("sign-in-success", { ofMs: successWindowMs }),
  }
  const links = { addresses: window("link-address"), accounts: window("link-account") }
  const keyOf = (email: string): string => digest(fold(email))

  function requireAdmitted({ admitted, resetAtMs }: WindowState): void {
    if (admitted) return
    const seconds = Math.ceil((resetAtMs - options.now().getTime()) / 1000)
    throw new LimitReached(new Date(resetAtMs), Math.max(1, seconds))
  }

  return {
    /**
     * Begins an attempt with a password, which counts against its address at once: by address first, so that
     * a client past its limit there uses up no account's.
     * @param sessionId of the account's session that the client has
     * @throws LimitReached
     */
    attempt: async (email: string, address: string, sessionId?: string) => {
      const key = sessionId === undefined ? keyOf(email) : digest(`session ${sessionId}`)
      requireAdmitted(await attempts.addresses.admit(address, attemptsPerAddress))
      const { remaining } = await attempts.successes.peek(key, maxSuccesses)
      const limit = attemptsPerAccount + maxSuccesses - remaining
      requireAdmitted(await attempts.accounts.peek(key, limit))
      return {
        /** Counts it against its account; to be called just before the password is hashed. @throws LimitReached */
        count: async (): Promise<void> =>
          requireAdmitted(await attempts.accounts.admit(key, limit)),
        /** Call it if the password was right. */
        succeeded: async (): Promise<void> => {
          await attempts.successes.admit(key, maxSuccesses)
        },
      }
    },

    /** Counts a request for a link. @throws LimitReached */
    requestLink: async (email: string, address: string): Promise<void> => {
      requireAdmitted(await links.addresses.admit(address, linksPerAddress))
      requireAdmitted(await links.accounts.admit(keyOf(email), linksPerAccount))
    },
  }
}

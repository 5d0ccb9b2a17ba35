/**
 * Limits attempts to sign in and requests for one-time links, in a quarter of an hour: by account, so that
 * many clients together cannot guess a password, and by client address, so that one client cannot try many
 * accounts or send mail to many people. An account is the typed address, whether it exists or not, so that a
 * limit reveals nothing about it.
 *
 * An attempt counts when its turn to be hashed comes. So concurrent attempts get no extra guesses, and
 * attempts that the queue rejects do not count. Hashing limits the number of accounts that are counted at a
 * time, and all of them fit into memory: made-up addresses evict no active window.
 *
 * A successful attempt gives its account a further one. After ten wrong guesses the right password is
 * rejected too, since guessing could go on otherwise. A person who is locked out by the guesses of others can
 * still use a session of the account, whose attempts have a limit of their own, or a one-time link.
 */
import type { WindowState } from "../http/rate-limit-headers.ts"
import type { RedisConnection } from "../redis/connection.ts"
import { digest } from "../text/digest.ts"
import { fold } from "../text/fold.ts"
import { bucketKeys, type Clocks, createWindow } from "./windows.ts"

/** The limit of an account or an address is reached. */
export class LimitReached extends Error {
  override readonly name = "LimitReached"

  /** @param until when the next attempt is admitted */
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
/** A refund ends before its attempt does, so that it never admits an extra guess. */
const successWindowMs = windowMs - 60_000
/** The most refunds of one account; further attempts count. */
const maxSuccesses = 1_000
/** The memory of a kind of window: room for 19,000 accounts or addresses. */
const maxBytes = 8 * 1024 * 1024
/** Room for 50,000 accounts: more than can be hashed for in a window, two at once in 40 ms or longer. */
const maxAttemptBytes = 3 * maxBytes

/** In Redis. With so many, attempts on a few thousand accounts lock out no other account. */
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
     * Begins an attempt with a password, which counts against its address at once. A client beyond its limit
     * uses up no account's attempts.
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
        /**
         * Counts the attempt against its account. Call it just before the password is hashed.
         * @throws LimitReached
         */
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

/**
 * Hashing of passwords, by argon2id.
 *
 * A hash takes about 150 ms of a processor and 64 MB. Two are computed at once, and one for each client
 * address; others wait for a few seconds, and the addresses take turns. So a flood of attempts to sign in
 * takes no more than that from the API, and delays others by one hash for each address that it comes from.
 */
import { createTurns } from "../db/pool/turns.ts"
import { Unavailable } from "../db/pool/unavailable.ts"
import { fold } from "../text/fold.ts"
import { isCommon } from "./common-passwords.ts"

export interface PasswordHashing {
  /** @param address of the client. @throws HashingBusy */
  hash(password: string, address: string): Promise<string>
  /**
   * What `find` gives, if the password matches its hash; null where it does not, or there is none. It takes
   * as long without a hash. Too many at once are refused before anything is read for them.
   * @param address of the client
   * @param onTurn called once its turn has come, before `find`
   * @throws HashingBusy, and as `find` and `onTurn` do
   */
  matching<Found extends Hashed>(
    password: string,
    find: () => Promise<Found | undefined>,
    address: string,
    onTurn?: () => Promise<void>,
  ): Promise<Found | null>
}

export interface Hashed {
  hash: string | null
}

/** Too many other passwords wait to be hashed. The request may be retried. */
export class HashingBusy extends Unavailable {}

export const minLength = 12
export const maxLength = 200
/** Normalisation can make eighteen characters of one. */
const maxBytes = 4_000

const parameters = { algorithm: "argon2id", memoryCost: 65_536, timeCost: 2 } as const
const atOnce = 2

/** The hash of a random password that nobody knows, with the same parameters. */
const hashOfNothing =
  "$argon2id$v=19$m=65536,t=2,p=1$5tkOAaEkrnRkK0bWCJKz9kaW4EU3g0IXrB8e9EQLL/U$etee64x0Xllc1HGzh9acgE0ZIKsgXFoGYDcl9oV6pl4"

export interface PasswordHashingOptions {
  /** Receives the error for a stored hash that is none: it matches nothing. */
  onMalformedHash: (error: unknown) => void
  /** How many attempts may wait, of one address and of all, and how long. */
  queueLengthPerAddress?: number
  queueLength?: number
  waitMs?: number
}

export function createPasswordHashing({
  onMalformedHash,
  queueLengthPerAddress = 8,
  queueLength = 50,
  waitMs = 5_000,
}: PasswordHashingOptions): PasswordHashing {
  const turns = createTurns({
    places: atOnce,
    placesPerAccount: 1,
    queuePerAccount: queueLengthPerAddress,
    queueInAll: queueLength,
    waitMs,
  })

  async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const endTurn = await turns.take(address).catch((cause: unknown) => {
      throw new HashingBusy("Too many passwords wait to be hashed", { cause })
    })
    return work().finally(endTurn)
  }

  const verify = (password: string, hash: string): Promise<boolean> =>
    Bun.password.verify(normalised(password), hash).catch((error: unknown) => {
      onMalformedHash(error)
      return false
    })

  return {
    hash: (password, address) =>
      inTurn(address, () => Bun.password.hash(normalised(password), parameters)),
    matching: async (password, find, address, onTurn) => {
      // Depends on the password alone, so the shorter time tells nothing about an account.
      if (password === "" || !isWithinBounds(password)) return null
      return inTurn(address, async () => {
        await onTurn?.()
        const found = await find()
        const matched = await verify(password, found?.hash ?? hashOfNothing)
        return found && found.hash !== null && matched ? found : null
      })
    },
  }
}

/** Why a new password is refused, as a sentence for the person; null where it is not. */
export function passwordFault(password: string, email: string): string | null {
  const length = [...password].length
  if (length < minLength) return `Use at least ${minLength} characters`
  if (!isWithinBounds(password)) return `Use at most ${maxLength} characters`
  if (fold(password) === fold(email)) return "Use something other than your email address"
  if (isCommon(password)) {
    return "This is easy to guess, because many people use it or it repeats itself. Use a few random words"
  }
  return null
}

const isWithinBounds = (password: string): boolean =>
  // Two code units at most for a character; counted first, because a body can be large.
  password.length <= 2 * maxLength &&
  [...password].length <= maxLength &&
  Buffer.byteLength(normalised(password)) <= maxBytes

/** The same characters can be typed in several ways (NIST SP 800-63B, 3.1.1.2). */
const normalised = (password: string): string => password.normalize("NFKC")

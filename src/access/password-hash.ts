/**
 * Hashing of passwords, by argon2id.
 *
 * A hash takes about 150 ms of a processor and 64 MB. Two are computed at once, and one for each client
 * address; others wait for a few seconds, and the addresses take turns. So a flood of attempts to sign in
 * takes no more than that from the API, and delays others by one hash for each address that it comes from.
 */
import { createTurns } from "../db/pool/turns.ts"
import { Unavailable } from "../db/pool/unavailable.ts"
import { isWithinBounds, normalised } from "./password-rules.ts"

/** Too many other passwords wait to be hashed. The request may be retried. */
export class HashingBusy extends Unavailable {}

/** What one hash takes: KiB of memory, and passes over it. */
export interface HashingCost {
  memoryCost: number
  timeCost: number
}

export const defaultCost: HashingCost = { memoryCost: 65_536, timeCost: 2 }
const atOnce = 2

/** The salt and hash of a random password that nobody knows. */
const ofNothing =
  "$5tkOAaEkrnRkK0bWCJKz9kaW4EU3g0IXrB8e9EQLL/U$etee64x0Xllc1HGzh9acgE0ZIKsgXFoGYDcl9oV6pl4"

export interface PasswordHashingOptions {
  /** Receives the error for a stored hash that is none: it matches nothing. */
  onMalformedHash: (error: unknown) => void
  cost?: HashingCost | undefined
  /** How many attempts of one address may wait, and how long. */
  queueLengthPerAddress?: number
  waitMs?: number
}

/** An attempt to match a password. */
export interface PasswordAttempt {
  password: string
  /** The address of the client. */
  address: string
  /** Called once its turn has come, before anything is read or hashed for it. If it throws, nothing is. */
  onTurn?: () => Promise<void>
}

export type PasswordHashing = ReturnType<typeof createPasswordHashing>

/** Each of these throws HashingBusy. */
export function createPasswordHashing({
  onMalformedHash,
  cost = defaultCost,
  queueLengthPerAddress = 8,
  waitMs = 5_000,
}: PasswordHashingOptions) {
  const hashOfNothing = `$argon2id$v=19$m=${cost.memoryCost},t=${cost.timeCost},p=1${ofNothing}`
  const turns = createTurns({
    places: atOnce,
    placesPerAccount: 1,
    queuePerAccount: queueLengthPerAddress,
    queueInAll: 50,
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
    /** @param address of the client */
    hash: (password: string, address: string): Promise<string> =>
      inTurn(address, () =>
        Bun.password.hash(normalised(password), { algorithm: "argon2id", ...cost }),
      ),

    /**
     * What `find` gives, if the password matches its hash; null where it does not, or there is none. It
     * takes as long without a hash. @throws as `find` and `onTurn` do
     */
    matching: async <Found extends { hash: string | null }>(
      { password, address, onTurn }: PasswordAttempt,
      find: () => Promise<Found | undefined>,
    ): Promise<Found | null> => {
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

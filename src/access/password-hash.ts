/**
 * Hashing of passwords, by argon2id.
 *
 * A hash takes about 150 ms of a processor and 64 MB. The process computes two hashes at once, and one for
 * each client address; other attempts wait for a few seconds, and the addresses take turns. So a flood of
 * attempts costs the API two processors at most, and delays an honest attempt by one hash for each address of
 * the flood.
 */
import { createTurns } from "../db/pool/turns.ts"
import { Unavailable } from "../db/pool/unavailable.ts"
import { isWithinBounds, normalised } from "./password-rules.ts"

/** The queue of passwords is full. The client may retry the request. */
export class HashingBusy extends Unavailable {}

/** The cost of one hash: KiB of memory, and passes over it. */
export interface HashingCost {
  memoryCost: number
  timeCost: number
}

export const defaultCost: HashingCost = { memoryCost: 65_536, timeCost: 2 }
const atOnce = 2

/** The salt and hash of an unknown random password. */
const ofNothing =
  "$5tkOAaEkrnRkK0bWCJKz9kaW4EU3g0IXrB8e9EQLL/U$etee64x0Xllc1HGzh9acgE0ZIKsgXFoGYDcl9oV6pl4"

export interface PasswordHashingOptions {
  /** Receives the error for a malformed stored hash, which matches no password. */
  onMalformedHash: (error: unknown) => void
  cost?: HashingCost | undefined
  /** Limits the number of waiting attempts of one address, and their wait. */
  queueLengthPerAddress?: number
  waitMs?: number
}

/** An attempt to match a password. */
export interface PasswordAttempt {
  password: string
  /** The address of the client. */
  address: string
  /** Called when the attempt has its turn, before anything is read or hashed. If it throws, the attempt ends. */
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
    queuePerAccount: () => queueLengthPerAddress,
    queueInAll: 50,
    waitMs,
  })

  async function inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    const endTurn = await turns.take(address).catch((cause: unknown) => {
      throw new HashingBusy("The queue of passwords is full", { cause })
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
     * Returns the result of `find` if the password matches its hash, or else null. It takes as long without a
     * hash.
     * @throws the errors of `find` and `onTurn`
     */
    matching: async <Found extends { hash: string | null }>(
      { password, address, onTurn }: PasswordAttempt,
      find: () => Promise<Found | undefined>,
    ): Promise<Found | null> => {
      // The hash depends on the password alone, so its duration reveals nothing about an account.
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

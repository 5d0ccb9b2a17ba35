import { isMissingObject } from "../db/database-errors.ts"
import type { ReadPool } from "../db/pool/pool.ts"
import { Overloaded, Unavailable } from "../db/pool/unavailable.ts"
import { ReleaseUnavailable } from "./releases.ts"

/**
 * Reads on the replica, and once on the primary if the replica rejects or cancels the read, does not
 * respond, or lacks the release.
 */
export function replicated(replica: ReadPool, primary: ReadPool): ReadPool {
  async function onBoth<T>(read: (pool: ReadPool) => Promise<T>): Promise<T> {
    try {
      return await read(replica)
    } catch (error) {
      if (!isOfReplica(error)) throw error
      return read(primary)
    }
  }
  return {
    run: (account, key, statement) => onBoth((pool) => pool.run(account, key, statement)),
    runAlone: (account, statement) => onBoth((pool) => pool.runAlone(account, statement)),
  }
}

/** A replica that lags may lack tables and columns of a migration too. */
const isOfReplica = (error: unknown): boolean =>
  (error instanceof Unavailable && !(error instanceof Overloaded)) ||
  error instanceof ReleaseUnavailable ||
  isMissingObject(error)

/**
 * Deduplicates concurrent reads: callers with the same key share one statement and its result.
 *
 * A running statement is shared with every caller. A queued one is not: each account queues once, for
 * all its callers, so that no account waits in the queue of another or is refused because of another's
 * bound. The first of these claims to get a connection runs the statement, and the others are
 * cancelled.
 *
 * Only immutable data may be read in this way, such as that of a release: the statement may have
 * begun before its caller asked.
 */
import type { AccountId } from "./account-id.ts"
import type { Pool } from "./pool.ts"

export type SharedReads = <T>(
  key: string,
  account: AccountId,
  statement: () => Promise<T>,
) => Promise<T>

interface Read {
  /** Set once the statement is running. */
  running?: Promise<unknown>
  /** Queued claims. */
  claims: Map<AccountId, Promise<unknown>>
  /** Cancels the queued claims. */
  cancellation: AbortController
}

/** @param run of the pool that runs the statements. Equal keys must mean equal statements. */
export function createSharedReads(run: Pool["run"]): SharedReads {
  const reads = new Map<string, Read>()

  function begin(key: string): Read {
    const read: Read = { claims: new Map(), cancellation: new AbortController() }
    reads.set(key, read)
    return read
  }

  function enqueue<T>(key: string, read: Read, account: AccountId, statement: () => Promise<T>) {
    const { signal } = read.cancellation
    const start = (): Promise<T> => {
      read.running = claim
      read.cancellation.abort()
      return statement()
    }
    const claim: Promise<unknown> = run(start, account, signal)
      .catch((error: unknown) => {
        // Cancelled, because the claim of another account came first.
        if (signal.aborted && error === signal.reason && read.running !== claim) return read.running
        throw error
      })
      .finally(() => {
        read.claims.delete(account)
        const isOver = read.running ? read.running === claim : read.claims.size === 0
        if (isOver && reads.get(key) === read) reads.delete(key)
      })
    read.claims.set(account, claim)
    return claim
  }

  return <T>(key: string, account: AccountId, statement: () => Promise<T>) => {
    const read = reads.get(key) ?? begin(key)
    const shared = read.running ?? read.claims.get(account)
    return (shared ?? enqueue(key, read, account, statement)) as Promise<T>
  }
}

/**
 * Deduplicates concurrent reads: callers with the same key share one statement and its result.
 *
 * A running statement is shared with every caller. A queued one is not: each account queues once, for
 * all its callers, so that no account waits in the queue of another or is refused because of another's
 * bound. The first of these claims to get a connection runs the statement, and the others are
 * cancelled. So is a claim that none of its account's callers waits for any more.
 *
 * Only immutable data may be read in this way, such as that of a release: the statement may have
 * begun before its caller asked.
 */
import type { AccountId } from "./account-id.ts"
import type { Cancellation, Pool } from "./pool.ts"

/** @param cancellation by the caller: a queued statement is dropped once none of its callers waits */
export type SharedReads = <T>(
  key: string,
  account: AccountId,
  statement: () => Promise<T>,
  cancellation?: Cancellation,
) => Promise<T>

interface Read {
  /** The result, once the statement is running. */
  running?: Promise<unknown>
  /** Queued, by account. */
  claims: Map<AccountId, Claim>
}

interface Claim {
  result: Promise<unknown>
  /** How many callers wait for it. */
  callers: number
  /** While it is queued. */
  cancellation: AbortController
}

/** Why a claim is cancelled when that of another account came first. */
const superseded = new Error("Another claim runs the statement")

/** @param run of the pool that runs the statements. Equal keys must mean equal statements. */
export function createSharedReads(run: Pool["run"]): SharedReads {
  const reads = new Map<string, Read>()

  function begin(key: string): Read {
    const read: Read = { claims: new Map() }
    reads.set(key, read)
    return read
  }

  function enqueue<T>(key: string, read: Read, account: AccountId, statement: () => Promise<T>) {
    const cancellation = new AbortController()
    const start = (): Promise<T> => {
      read.running = claim.result
      for (const other of read.claims.values()) {
        if (other !== claim) other.cancellation.abort(superseded)
      }
      return statement()
    }
    const result: Promise<unknown> = run(start, account, cancellation)
      .catch((error: unknown) => {
        if (error === superseded) return read.running
        throw error
      })
      .finally(() => {
        leave(read, account, claim)
        const isOver = read.running ? read.running === claim.result : read.claims.size === 0
        if (isOver && reads.get(key) === read) reads.delete(key)
      })
    const claim: Claim = { result, callers: 0, cancellation }
    read.claims.set(account, claim)
    return claim
  }

  /** The account may have another claim by now. */
  function leave({ claims }: Read, account: AccountId, claim: Claim): void {
    if (claims.get(account) === claim) claims.delete(account)
  }

  function countCaller(read: Read, account: AccountId, claim: Claim, signal?: AbortSignal): void {
    claim.callers++
    signal?.addEventListener("abort", () => {
      claim.callers--
      if (claim.callers > 0 || read.running) return
      leave(read, account, claim)
      claim.cancellation.abort(signal.reason)
    })
  }

  return async <T>(
    key: string,
    account: AccountId,
    statement: () => Promise<T>,
    cancellation?: Cancellation,
  ) => {
    cancellation?.signal?.throwIfAborted()
    const read = reads.get(key) ?? begin(key)
    if (read.running) return read.running as Promise<T>
    const claim = read.claims.get(account) ?? enqueue(key, read, account, statement)
    const refusal = claim.cancellation.signal
    if (refusal.aborted) cancellation?.abort?.(refusal.reason)
    else countCaller(read, account, claim, cancellation?.signal)
    return claim.result as Promise<T>
  }
}

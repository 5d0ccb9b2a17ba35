/**
 * Reads that several callers share: of those who ask for the same at once, one runs the statement
 * and all have its result.
 *
 * A statement that runs is joined by whoever asks. One that waits for its turn is not: each account
 * waits for a turn of its own, once for all its callers, so that none waits in the queue of another,
 * or is refused for the bound of another. The first of these turns runs the statement, and the others
 * are withdrawn.
 *
 * Only what never changes may be shared, such as what a release shows: a statement that runs may have
 * begun before its caller asked.
 */
import type { Account } from "./fair-queue.ts"
import type { Pool } from "./pool.ts"

export type SharedReads = <T>(
  key: string,
  account: Account,
  statement: () => Promise<T>,
) => Promise<T>

interface Read {
  /** Set once the statement runs. */
  running?: Promise<unknown>
  /** Turns that are waited for. */
  turns: Map<Account, Promise<unknown>>
  /** Withdraws them. */
  withdrawal: AbortController
}

/** @param run of the pool that the statements go to. Equal keys must mean equal statements. */
export function createSharedReads(run: Pool["run"]): SharedReads {
  const reads = new Map<string, Read>()

  function begin(key: string): Read {
    const read: Read = { turns: new Map(), withdrawal: new AbortController() }
    reads.set(key, read)
    return read
  }

  function waitForTurn<T>(key: string, read: Read, account: Account, statement: () => Promise<T>) {
    const { signal } = read.withdrawal
    const start = (): Promise<T> => {
      read.running = turn
      read.withdrawal.abort()
      return statement()
    }
    const turn: Promise<unknown> = run(start, account, signal)
      .catch((error: unknown) => {
        // Withdrawn, since another's turn came first.
        if (signal.aborted && error === signal.reason && read.running !== turn) return read.running
        throw error
      })
      .finally(() => {
        read.turns.delete(account)
        const isOver = read.running ? read.running === turn : read.turns.size === 0
        if (isOver && reads.get(key) === read) reads.delete(key)
      })
    read.turns.set(account, turn)
    return turn
  }

  return <T>(key: string, account: Account, statement: () => Promise<T>) => {
    const read = reads.get(key) ?? begin(key)
    const under = read.running ?? read.turns.get(account)
    return (under ?? waitForTurn(key, read, account, statement)) as Promise<T>
  }
}

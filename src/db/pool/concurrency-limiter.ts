/**
 * Slots for work of one kind, and a queue before them. At most `slots` tasks are under way, and at
 * most `slotsPerAccount` of one account, so that another finds one free. Who finds none waits: turns
 * go round the accounts (see `fair-queue.ts`), and no account delays another by more than a task.
 *
 * The queue is bounded for each account, in all, and in time. An account past its bound is refused,
 * and it alone: where the queue as a whole is full, who has most in it gives way.
 */
import { type Account, FairQueue } from "./fair-queue.ts"
import { Unavailable } from "./unavailable.ts"

export interface LimiterOptions {
  slots: number
  slotsPerAccount: number
  queueLength: number
  queueLengthPerAccount: number
}

export interface Claim {
  /** Whose turn it takes. */
  account: Account
  /** How long it may wait for its turn. */
  waitMs: number
  /** Withdraws it while it waits, with the signal's reason. */
  signal?: AbortSignal | undefined
}

export interface ConcurrencyLimiter {
  /** Waits for a slot, and gives the function that gives it back. @throws Unavailable, or the signal's reason */
  acquire(claim: Claim): Promise<() => void>
  /** Tasks under way and claims that wait. */
  load(): { running: number; waiting: number }
}

interface Waiting {
  start: () => void
  refuse: (reason: unknown) => void
}

export function createConcurrencyLimiter({
  slots,
  slotsPerAccount,
  queueLength,
  queueLengthPerAccount,
}: LimiterOptions): ConcurrencyLimiter {
  const queue = new FairQueue<Waiting>()
  const runningOf = new Map<Account, number>()
  let running = 0

  const mayHaveTurn = (account: Account): boolean =>
    running < slots && (runningOf.get(account) ?? 0) < slotsPerAccount

  /** Takes a slot for the account, and gives the function that gives it back, once. */
  function take(account: Account): () => void {
    running++
    runningOf.set(account, (runningOf.get(account) ?? 0) + 1)
    let isHeld = true
    return () => {
      if (isHeld) release(account)
      isHeld = false
    }
  }

  function release(account: Account): void {
    running--
    const left = (runningOf.get(account) ?? 0) - 1
    if (left > 0) runningOf.set(account, left)
    else runningOf.delete(account)
    queue.take(mayHaveTurn)?.item.start()
  }

  /** Makes room for one more claim of the account, or throws. */
  function makeRoom(account: Account): void {
    if (queue.sizeOf(account) >= queueLengthPerAccount) {
      throw new Unavailable(
        `The account has ${queueLengthPerAccount} requests in the queue already`,
      )
    }
    if (queue.size < queueLength) return
    const full = new Unavailable("Every place in the queue for the database is taken")
    const displaced = queue.takeFromLongest(queue.sizeOf(account) + 1)
    if (!displaced) throw full
    displaced.refuse(full)
  }

  function wait({ account, waitMs, signal }: Claim): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leaveQueue = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", withdraw)
    }
    const waiting: Waiting = {
      start: () => {
        leaveQueue()
        resolve(take(account))
      },
      refuse: (reason) => {
        leaveQueue()
        queue.remove(account, waiting)
        reject(reason)
      },
    }
    const withdraw = (): void => waiting.refuse(signal?.reason)
    const timer = setTimeout(
      () => waiting.refuse(new Unavailable(`No slot at the database within ${waitMs} ms`)),
      waitMs,
    )
    signal?.addEventListener("abort", withdraw)
    queue.add(account, waiting)
    return promise
  }

  return {
    acquire: async (claim) => {
      claim.signal?.throwIfAborted()
      if (mayHaveTurn(claim.account)) return take(claim.account)
      makeRoom(claim.account)
      return wait(claim)
    },
    load: () => ({ running, waiting: queue.size }),
  }
}

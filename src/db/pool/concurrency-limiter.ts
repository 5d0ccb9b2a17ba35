/**
 * A concurrency limiter with a fair queue. At most `slots` tasks run, and at most `slotsPerAccount` of
 * one account, so that other accounts find slots free. Further tasks are queued and served round-robin
 * by account (see `fair-queue.ts`), so no account delays another by more than one task.
 *
 * The queue is bounded in length, for each account and in total, and in waiting time. An account that
 * exceeds its bound is refused. Where the queue as a whole is full, the newest task of the account with most
 * tasks is displaced, if that has more than twice as many as the account that comes.
 *
 * With `refusesEarly` the bound in time is applied by a forecast: a claim that would wait too long by the
 * pace of its account's turns is refused at once, and so are those that were queued before the pace was
 * known. Otherwise most of an overload would time out at the end of a long queue.
 */
import type { AccountId } from "./account-id.ts"
import { FairQueue } from "./fair-queue.ts"
import { TurnTimes } from "./turn-times.ts"
import { Overloaded, type Unavailable } from "./unavailable.ts"

export interface LimiterOptions {
  slots: number
  slotsPerAccount: number
  queueLength: number
  queueLengthPerAccount: number
  /** Whether claims that can be expected to wait too long are refused at once. */
  refusesEarly?: boolean
  nowMs?: () => number
}

/** @template Account what stands for an account: also another key that takes turns, such as an address */
export interface Claim<Account = AccountId> {
  /** The account that the task is run for. */
  account: Account
  /** How long it may wait for a slot. */
  waitMs: number
  /** Cancels it while it waits, with the signal's reason. */
  signal?: AbortSignal | undefined
  /** Called at once where there is no room for it, before anything else runs. */
  onRefused?: ((reason: unknown) => void) | undefined
}

export interface ConcurrencyLimiter<Account = AccountId> {
  /** Waits for a slot. Returns the function that releases it. @throws Overloaded, or the signal's reason */
  acquire(claim: Claim<Account>): Promise<() => void>
  /** Refuses all waiting claims. */
  refuseWaiting(reason: Unavailable): void
  /** Running tasks and waiting claims. */
  load(): { running: number; waiting: number }
}

/** Of the time that a claim may wait, this much may be expected: the average is exceeded by some. */
const expectedShare = 0.8

interface Waiting {
  /** When its time is over. */
  deadlineMs: number
  start: () => void
  refuse: (reason: unknown) => void
}

export function createConcurrencyLimiter<Account = AccountId>({
  slots,
  slotsPerAccount,
  queueLength,
  queueLengthPerAccount,
  refusesEarly = false,
  nowMs = () => performance.now(),
}: LimiterOptions): ConcurrencyLimiter<Account> {
  const queue = new FairQueue<Waiting, Account>()
  const turnTimes = new TurnTimes<Account>()
  const runningOf = new Map<Account, number>()
  let running = 0

  const mayRun = (account: Account): boolean =>
    running < slots && (runningOf.get(account) ?? 0) < slotsPerAccount

  /** Takes a slot for the account. Returns the function that releases it, once. */
  function take(account: Account): () => void {
    running++
    runningOf.set(account, (runningOf.get(account) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (isTaken) release(account)
      isTaken = false
    }
  }

  function release(account: Account): void {
    running--
    const left = (runningOf.get(account) ?? 0) - 1
    if (left > 0) runningOf.set(account, left)
    else runningOf.delete(account)
    queue.take(mayRun)?.item.start()
  }

  /** Makes room in the queue for one more claim of the account. @throws Overloaded */
  function makeRoom(account: Account): void {
    if (queue.sizeOf(account) >= queueLengthPerAccount) {
      throw new Overloaded(
        queueLengthPerAccount === 0
          ? "Every slot is taken, and there is no queue"
          : `The account already has ${queueLengthPerAccount} requests in the queue`,
      )
    }
    if (queue.size < queueLength) return
    const full = new Overloaded("The queue is full")
    // Among accounts that have about as many, what has waited is not displaced by what comes.
    const displaced = queue.takeFromLongest(2 * queue.sizeOf(account) + 1)
    if (!displaced) throw full
    displaced.refuse(full)
  }

  /** @throws Overloaded if no slot can be expected to be free in time */
  function ensureTimely({ account, waitMs }: Claim<Account>): void {
    if (!refusesEarly) return
    const expectedMs = (queue.sizeOf(account) + 1) * (turnTimes.meanMs(account) ?? 0)
    if (expectedMs <= expectedShare * waitMs) return
    throw tooLate()
  }

  /** Refuses the newest claims of the account that can't be expected to get a slot in time. */
  function refuseLate(account: Account): void {
    const meanMs = refusesEarly ? turnTimes.meanMs(account) : undefined
    if (meanMs === undefined) return
    for (;;) {
      const newest = queue.newestOf(account)
      if (!newest) return
      if (queue.sizeOf(account) * meanMs <= newest.deadlineMs - nowMs()) return
      newest.refuse(tooLate())
    }
  }

  function wait({ account, waitMs, signal }: Claim<Account>): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leaveQueue = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", cancel)
      queue.remove(account, waiting)
      if (queue.sizeOf(account) === 0) turnTimes.end(account)
    }
    const waiting: Waiting = {
      deadlineMs: nowMs() + waitMs,
      start: () => {
        turnTimes.turn(account, nowMs())
        leaveQueue()
        resolve(take(account))
        refuseLate(account)
      },
      refuse: (reason) => {
        leaveQueue()
        reject(reason)
      },
    }
    const cancel = (): void => waiting.refuse(signal?.reason)
    const timer = setTimeout(
      () => waiting.refuse(new Overloaded(`No slot was free within ${waitMs} ms`)),
      waitMs,
    )
    signal?.addEventListener("abort", cancel)
    if (queue.sizeOf(account) === 0) turnTimes.begin(account)
    queue.add(account, waiting)
    return promise
  }

  return {
    acquire: async (claim) => {
      claim.signal?.throwIfAborted()
      if (mayRun(claim.account)) return take(claim.account)
      try {
        ensureTimely(claim)
        makeRoom(claim.account)
      } catch (refusal) {
        claim.onRefused?.(refusal)
        throw refusal
      }
      return wait(claim)
    },
    refuseWaiting: (reason) => {
      const all = () => true
      for (let next = queue.take(all); next; next = queue.take(all)) next.item.refuse(reason)
    },
    load: () => ({ running, waiting: queue.size }),
  }
}

const tooLate = () => new Overloaded("No slot is expected to be free in time")

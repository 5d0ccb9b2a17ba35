/**
 * Places for tasks, and a queue in which accounts take turns: an account waits for at most one task of each
 * other account. `placesPerAccount` leaves places to others. `queuePerAccount` limits the queue of an account:
 * beyond it, only this account is rejected.
 */
import { Overloaded, type Unavailable } from "./unavailable.ts"

/** An account's number, the address of a client without an account, or null for the service itself. */
export type AccountId = number | string | null

export interface TurnOptions {
  places: number
  placesPerAccount?: number
  queuePerAccount?: (account: AccountId) => number
  waitMs?: number
}

export interface Turns {
  /** Waits for a place. @returns frees the place. @throws Overloaded, or the signal's reason */
  take(account: AccountId, signal?: AbortSignal): Promise<() => void>
  refuseWaiting(reason: Unavailable): void
  /** Whether another account waits, and would get a place that this account frees. */
  isPlaceAwaited(account: AccountId): boolean
  load(): { running: number; waiting: number }
}

interface Waiting {
  start: () => void
  refuse: (reason: unknown) => void
}

/** Limits the memory of the tasks that wait. */
const queueInAll = 100_000

export function createTurns({
  places,
  placesPerAccount = places,
  queuePerAccount = () => 100,
  waitMs = 20_000,
}: TurnOptions): Turns {
  /** The waiting accounts, in the order of their turns. */
  const queues = new Map<AccountId, Set<Waiting>>()
  const runningOf = new Map<AccountId, number>()
  let running = 0
  let waiting = 0

  const mayRun = (account: AccountId): boolean =>
    running < places && (runningOf.get(account) ?? 0) < placesPerAccount

  function begin(account: AccountId): () => void {
    running++
    runningOf.set(account, (runningOf.get(account) ?? 0) + 1)
    let isTaken = true
    return () => {
      if (isTaken) free(account)
      isTaken = false
    }
  }

  function free(account: AccountId): void {
    running--
    const left = (runningOf.get(account) ?? 0) - 1
    if (left > 0) runningOf.set(account, left)
    else runningOf.delete(account)
    for (const [next, queue] of queues) {
      if (!mayRun(next)) continue
      const [oldest] = queue
      oldest?.start()
      return
    }
  }

  function enqueue(account: AccountId, signal?: AbortSignal): Promise<() => void> {
    const queue = queues.get(account) ?? new Set()
    if (queue.size >= queuePerAccount(account) || waiting >= queueInAll) {
      return Promise.reject(new Overloaded("Too many of the account's requests wait"))
    }
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const leave = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener("abort", cancel)
      waiting--
      queue.delete(item)
      if (queue.size === 0) queues.delete(account)
    }
    const item: Waiting = {
      start: () => {
        // The account's next turn comes after those of all others.
        queues.delete(account)
        queues.set(account, queue)
        leave()
        resolve(begin(account))
      },
      refuse: (reason) => {
        leave()
        reject(reason)
      },
    }
    const cancel = (): void => item.refuse(signal?.reason)
    const timer = setTimeout(
      () => item.refuse(new Overloaded(`Had no turn within ${waitMs} ms`)),
      waitMs,
    )
    signal?.addEventListener("abort", cancel)
    waiting++
    queue.add(item)
    queues.set(account, queue)
    return promise
  }

  return {
    take: async (account, signal) => {
      signal?.throwIfAborted()
      return mayRun(account) ? begin(account) : enqueue(account, signal)
    },
    refuseWaiting: (reason) => {
      for (const queue of [...queues.values()]) for (const item of [...queue]) item.refuse(reason)
    },
    isPlaceAwaited: (account) =>
      running === places &&
      queues
        .keys()
        .some((other) => other !== account && (runningOf.get(other) ?? 0) < placesPerAccount),
    load: () => ({ running, waiting }),
  }
}

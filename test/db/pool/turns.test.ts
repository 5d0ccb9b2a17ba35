/** Accounts take turns, and one that has too much in the queue is refused alone. */
import { expect, test } from "bun:test"
import { type AccountId, createTurns } from "../../../src/db/pool/turns.ts"
import { Overloaded, Unavailable } from "../../../src/db/pool/unavailable.ts"

const reasonOf = (settled: Promise<unknown>) =>
  settled.then(
    () => undefined,
    (reason: unknown) => reason,
  )

/** Turns, and the accounts that had one so far. A turn lasts until it is ended. */
function recorded(options: Parameters<typeof createTurns>[0]) {
  const turns = createTurns(options)
  const begun: AccountId[] = []
  const ends: (() => void)[] = []
  const take = async (account: AccountId, signal?: AbortSignal) => {
    const end = await turns.take(account, signal)
    begun.push(account)
    ends.push(end)
  }
  /** Ends the oldest turn that has not ended. */
  const endNext = async () => {
    ends.shift()?.()
    await new Promise((resolve) => setTimeout(resolve, 0))
  }
  return { turns, begun, take, endNext }
}

test("an account waits for one task of each other account, however many those have", async () => {
  const { begun, take, endNext, turns } = recorded({ places: 1 })
  for (const account of [1, 1, 1, 1, 2, "203.0.113.7", 2, null]) void take(account)
  for (let task = 0; task < 9; task++) await endNext()
  expect(begun).toEqual([1, 1, 2, "203.0.113.7", null, 1, 2, 1])
  expect(turns.load()).toEqual({ running: 0, waiting: 0 })
})

test("one account leaves places to the others", async () => {
  const { begun, take, endNext } = recorded({ places: 3, placesPerAccount: 2 })
  for (const account of [1, 1, 1, 2]) void take(account)
  await Promise.resolve()
  expect(begun).toEqual([1, 1, 2])
  await endNext()
  expect(begun).toEqual([1, 1, 2, 1])
})

test("an account past its part of the queue is refused, and no other", async () => {
  const { take, turns } = recorded({ places: 1, queuePerAccount: () => 2 })
  await take(1)
  const waiting = [take(1), take(1)].map(reasonOf)
  expect(await reasonOf(take(1))).toBeInstanceOf(Overloaded)
  waiting.push(reasonOf(take(2)))
  expect(turns.load()).toEqual({ running: 1, waiting: 3 })
  turns.refuseWaiting(new Unavailable("the end"))
  await Promise.all(waiting)
})

test("whoever has no turn in time, or leaves, is not in the queue any more", async () => {
  const { take, turns } = recorded({ places: 1, waitMs: 10 })
  await take(1)
  const leaving = new AbortController()
  const left = reasonOf(take(2, leaving.signal))
  leaving.abort("gone")
  expect(await left).toBe("gone")
  expect(await reasonOf(take(2))).toBeInstanceOf(Overloaded)
  expect(turns.load()).toEqual({ running: 1, waiting: 0 })
})

test("all that wait are refused where nothing can run", async () => {
  const { take, turns } = recorded({ places: 1 })
  await take(1)
  const reasons = Promise.all([take(1), take(2), take(2)].map(reasonOf))
  const lost = new Unavailable("lost")
  turns.refuseWaiting(lost)
  expect(await reasons).toEqual([lost, lost, lost])
  expect(turns.load()).toEqual({ running: 1, waiting: 0 })
})

test("a turn that is ended twice frees one place", async () => {
  const turns = createTurns({ places: 1 })
  const end = await turns.take(1)
  const next = turns.take(2)
  end()
  end()
  await next
  expect(turns.load()).toEqual({ running: 1, waiting: 0 })
})
